import type { AdvisorySource } from '../advisory-source.ts';
import { osvEndpoint } from './osv-endpoint.ts';
import { osvFolder } from './osv-folder.ts';

/** Opens a folder of OSV records, or else a server of them. Null when neither is configured. */
export function openAdvisories(from: { readonly folder: string; readonly address: string }): AdvisorySource | null {
  if (from.folder !== '') return osvFolder(from.folder);
  return from.address === '' ? null : osvEndpoint(from.address);
}
