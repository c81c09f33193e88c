import type { SecretMatch } from '@signalbox/safety/redact/found';

/** A secret of a text. */
export interface Secret extends SecretMatch {
  readonly rule: 'private-key' | 'credential' | 'url-password' | 'hardcoded' | 'env-value';
  /** How sure it is: its form is an issuer's, or only the name says so that it is given to. */
  readonly certainty: 'form' | 'name';
  /** What it is the value of; empty where nothing says so. */
  readonly name: string;
  /** In one form, however it is wrapped: what the identity is taken of. */
  readonly value: string;
}
