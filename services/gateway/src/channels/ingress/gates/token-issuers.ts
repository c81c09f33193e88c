import { GateForge } from '@signalbox/contracts/operations/gate';
import { ForgeAddress } from '@signalbox/platform/config';
import { z } from 'zod';

/** Whoever signs the tokens of a forge's jobs. */
export interface TokenIssuer {
  readonly forge: GateForge;
  /** The claim `iss`. */
  readonly issuer: string;
  /** Address of its keys. */
  readonly keys: string;
}

export const DEFAULT_ISSUERS = [
  'github https://token.actions.githubusercontent.com https://token.actions.githubusercontent.com/.well-known/jwks',
  'gitlab https://gitlab.com https://gitlab.com/oauth/discovery/keys',
].join(', ');

/** Parses `gitlab https://git.corp https://git.corp/oauth/discovery/keys`; several with commas between them. */
export const TokenIssuers = z.string().transform((text, context): readonly TokenIssuer[] =>
  text.split(',').flatMap((entry) => {
    const [forge, issuer, keys, ...rest] = entry.trim().split(/\s+/);
    const parsed = Issuer.safeParse({ forge, issuer, keys });
    if (parsed.success && rest.length === 0) return [parsed.data];
    context.addIssue(
      `has “${entry.trim()}”, which is not github or gitlab, an issuer and the https address of its keys`,
    );
    return [];
  }),
);

const Issuer = z.object({ forge: GateForge, issuer: z.string().min(1), keys: ForgeAddress });
