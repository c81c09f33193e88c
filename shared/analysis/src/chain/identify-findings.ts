import { createHash } from 'node:crypto';
import type { RawFinding } from '@signalbox/contracts/repository/finding';

/** A finding with the fingerprint by which the next scan recognizes it. */
export interface IdentifiedFinding extends Omit<RawFinding, 'identity'> {
  /** The fingerprint, 32 hexadecimal digits. */
  readonly fingerprint: string;
}

/** Adds to each finding a fingerprint of its rule, path and identity. */
export function identifyFindings(found: readonly RawFinding[]): readonly IdentifiedFinding[] {
  return found.map(({ identity, ...one }) => ({
    ...one,
    fingerprint: createHash('sha256')
      .update(JSON.stringify([one.rule, one.path, identity]))
      .digest('hex')
      .slice(0, 32),
  }));
}
