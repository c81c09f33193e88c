import type { AdvisorySource } from '../advisory-source.ts';
import { openOsvEndpoint } from './osv-endpoint.ts';
import { openOsvFolder } from './osv-folder.ts';

/** Opens a folder of OSV records, or else a server of them. Null when neither is configured. */
export function openAdvisorySource(from: { readonly folder: string; readonly address: string }): AdvisorySource | null {
  if (from.folder !== '') return openOsvFolder(from.folder);
  return from.address === '' ? null : openOsvEndpoint(from.address);
}
