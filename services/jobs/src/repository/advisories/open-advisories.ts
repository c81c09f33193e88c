import type { JobsConfig } from '../../config.ts';
import type { AdvisorySource } from './advisory-source.ts';
import { osvEndpoint } from './osv-endpoint.ts';
import { osvFolder } from './osv-folder.ts';

/** Records of a folder come before a server: they are there without a connection. */
export function openAdvisories({
  OSV_DIR: folder,
  OSV_URL: address,
}: Pick<JobsConfig, 'OSV_DIR' | 'OSV_URL'>): AdvisorySource | null {
  if (folder !== '') return osvFolder(folder);
  return address === '' ? null : osvEndpoint(address);
}
