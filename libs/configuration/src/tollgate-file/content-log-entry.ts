import { contentLogRules, personalDataKinds } from '@tollgate/contracts';
import type { ContentLogRules } from '@tollgate/contracts';
import { z } from 'zod';
import { refusePatterns } from './guardrail-entry';

const { retentionDays, maxBodyBytes, detectors, patterns } = contentLogRules.shape;

const fields = z.strictObject({
  enabled: z.boolean(),
  retentionDays: retentionDays.default(30),
  maxBodyBytes: maxBodyBytes.default(65_536),
  detectors: detectors.default([...personalDataKinds]),
  patterns: patterns.default([]),
});

/** Whether and how requests and answers are logged, as tollgate.yaml says it. Null: it is switched off. */
export const contentLogEntry = fields
  .superRefine((entry, context) =>
    refusePatterns(entry.patterns, (path, message) => context.addIssue({ code: 'custom', path, message })),
  )
  .transform(({ enabled, ...rules }): ContentLogRules | null => (enabled ? rules : null));
