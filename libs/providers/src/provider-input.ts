import type { providerDefinition } from '@tollgate/contracts/catalog';
import type { z } from 'zod';

/**
 * A provider as its file writes it. Beyond the contract, the page that the facts come from is required.
 * `baseUrl` is what the dialects append their paths to, such as `/chat/completions`.
 */
export type ProviderInput = z.input<typeof providerDefinition> & { documentation: string };
