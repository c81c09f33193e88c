/** What the offline verifier says: the same as the product's AuditVerdict. */
export interface Verdict {
  readonly ok: boolean;
  readonly events: number;
  readonly covered: number;
  readonly finding: { readonly seq: number; readonly problem: string; readonly detail: string } | null;
}

/** Verifies an export against checkpoints and public keys. Throws when a file cannot be read. */
export function verifyFiles(exportFile: string, checkpointsFile: string, keyFile: string): Promise<Verdict>;
