import { Link, useLocation, useNavigate, useParams } from 'react-router';
import { z } from 'zod/mini';
import type { ReportScope } from '../api/reports';
import { Card } from '../design/card';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { logOf } from './links';
import { OpenedRequest } from './request-drawer';
import { StepButtons } from './step-buttons';
import { useOpenedRequest } from './use-opened-request';

/** The list from which the page was opened. */
const list = z.catch(z.array(z.string()), []);

/** A request at its own address, of one's own. */
export const RequestPage = () => <RequestOf scope="own" />;

/** A request at its own address, of anybody. */
export const FleetRequestPage = () => <RequestOf scope="fleet" />;

function RequestOf({ scope }: { scope: ReportScope }) {
  const { id = '' } = useParams();
  const request = useOpenedRequest(scope, id, []);
  const ids = list.parse(useLocation().state);
  const navigate = useNavigate();
  return (
    <Page
      title={request.data ? `Request ${request.data.requestId}` : 'Request'}
      hint={<Link to={logOf(scope)}>All requests</Link>}
      actions={
        <StepButtons
          id={id}
          ids={ids}
          within="page"
          onOpen={(other) => void navigate(`${logOf(scope)}/${encodeURIComponent(other)}`, { state: ids })}
        />
      }
    >
      <Loaded query={request} lines={10}>
        {(found) =>
          found ? (
            <Card title="What became of it">
              <OpenedRequest request={found} scope={scope} />
            </Card>
          ) : (
            <Empty icon="list" title="There is no such request">
              Requests are kept for as long as the gateway’s retention says.
            </Empty>
          )
        }
      </Loaded>
    </Page>
  );
}
