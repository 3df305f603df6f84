import type { PortkeyConfig } from './portkey-config';
import type { SettingsReport } from './settings-report';

/** A target that is asked itself, with what the levels above it say where it says nothing. */
export interface Leaf {
  target: PortkeyConfig;
  /** Its share among those of its layer. */
  weight: number;
}

/** Targets that are asked in one another's place, by weight, and after them those of the next layer. */
export type Layer = readonly Leaf[];

const inherited = ['override_params', 'request_timeout', 'custom_host'] as const;

/** Writes a tree of strategies out: who is asked first, and who after whom has failed. */
export function layersOf(config: PortkeyConfig, report: SettingsReport): Layer[] {
  const { strategy, targets } = config;
  if (!targets || targets.length === 0) return [[{ target: config, weight: 1 }]];
  const own = targets.map((target) => ({ ...above(config), ...target }));
  switch (strategy?.mode) {
    case 'fallback':
      report.carried('strategy (fallback)', 'priority of deployments, and fallbacks to other models');
      return own.flatMap((target) => layersOf(target, report));
    case 'loadbalance':
      return balanced(own, report);
    case 'conditional': {
      const usual = own.find(({ name }) => name === strategy.default) ?? own[0];
      report.left(
        'strategy (conditional)',
        `nothing of a request chooses a route here: only ${usual?.name ?? 'the first'} is taken; callers name the model that they mean`,
      );
      return usual ? layersOf(usual, report) : [];
    }
    default:
      return own.slice(0, 1).flatMap((target) => layersOf(target, report));
  }
}

function above(config: PortkeyConfig): Partial<PortkeyConfig> {
  return Object.fromEntries(inherited.flatMap((name) => (config[name] == null ? [] : [[name, config[name]]])));
}

/** Where a target of those that share has layers itself, each is shared by the same weights. */
function balanced(targets: readonly PortkeyConfig[], report: SettingsReport): Layer[] {
  report.carried(
    'strategy (loadbalance)',
    'deployments of one model; callers are shared out by weight, each staying where it is',
  );
  const each = targets.map((target) => {
    const share = target.weight ?? 1;
    return layersOf(target, report).map((layer) => {
      const sum = layer.reduce((all, { weight }) => all + weight, 0) || 1;
      return layer.map((leaf) => ({ ...leaf, weight: (leaf.weight / sum) * share }));
    });
  });
  const depth = Math.max(0, ...each.map((layers) => layers.length));
  if (depth > 1)
    report.changed(
      'strategy (loadbalance of fallbacks)',
      'who fails hands over to all of the next that are left, by weight',
    );
  return Array.from({ length: depth }, (_, index) => each.flatMap((layers) => layers[index] ?? []));
}
