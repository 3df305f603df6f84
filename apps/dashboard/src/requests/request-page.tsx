import { Link, useParams } from 'react-router';
import type { ReportScope } from '../api/reports';
import { Card } from '../design/card';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { PageSteps } from '../design/steps';
import { logOf } from './links';
import { OpenedRequest } from './request-drawer';
import { useOpenedRequest } from './use-opened-request';

/** A request at its own address, of one's own. */
export const RequestPage = () => <RequestOf scope="own" />;

/** A request at its own address, of anybody. */
export const FleetRequestPage = () => <RequestOf scope="fleet" />;

function RequestOf({ scope }: { scope: ReportScope }) {
  const { id = '' } = useParams();
  const request = useOpenedRequest(scope, id, []);
  return (
    <Page
      title={request.data ? `Request ${request.data.requestId}` : 'Request'}
      hint={<Link to={logOf(scope)}>All requests</Link>}
      actions={<PageSteps id={id} thing="request" pageOf={(other) => `${logOf(scope)}/${encodeURIComponent(other)}`} />}
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
