import { Fragment } from 'react';
import { Link } from 'react-router';
import type { ListedBudget } from '../api/budgets';
import type { ReportScope } from '../api/reports';
import { projectPath } from '../app/paths';
import { KeyLink } from '../requests/links';
import { eachWords, ownerOf, owners } from './budget-scopes';
import styles from './budgets.module.css';

/** What a budget is on, by names that lead there: whose money, of whom alone, for which models. */
export function BudgetScope({ budget, scope }: { budget: ListedBudget; scope: ReportScope }) {
  const { keys, each, models, project } = budget;
  const owner = ownerOf(budget);
  const key = keys.at(-1);
  return (
    <span className={styles.stack}>
      {owner === 'key' && key ? (
        <span>
          Key <KeyLink request={{ keyId: key.id, keyName: key.name }} scope={scope} />
          {keys.length > 1 && ` and ${keys.length - 1} more`}
        </span>
      ) : (
        <span className="break">
          {project === null ? (
            owners[owner]
          ) : (
            <>
              Project <Link to={projectPath(scope === 'own' ? null : budget.accountId, project)}>{project}</Link>
            </>
          )}
        </span>
      )}
      {each && <span className="muted break">{eachWords(each)}</span>}
      {models.length > 0 && (
        <span className="muted break">
          {models.map((model, index) => (
            <Fragment key={model}>
              {index > 0 && ', '}
              <code>{model}</code>
            </Fragment>
          ))}
        </span>
      )}
    </span>
  );
}
