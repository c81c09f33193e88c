import {
  toForgeAccount,
  UNREAD_FACTS,
  type GateFacts,
  type GateForge,
  type GateRequest,
} from '@signalbox/contracts/operations/gate';
import { tryOr } from '@signalbox/contracts/system-error';
import { SECOND_MS } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import { createRemoteJWKSet, customFetch, decodeJwt, errors, jwtVerify } from 'jose';
import { z } from 'zod';
import type { TokenIssuer } from './token-issuers.ts';

/** What a token of a job proves: the accounts in whose name it asks, and how certain it is who started this attempt. */
export interface TokenProof {
  readonly forge: GateForge;
  readonly accounts: readonly string[];
  readonly facts: GateFacts;
}

/** Null: tokens are not checked here. A string says to the program's author why the token proves nothing. */
export type VerifyToken = (token: string, gate: GateRequest) => Promise<TokenProof | string | null>;

/** How long the keys of an issuer may take to load; a request is answered within 25 s. */
const KEYS_MS = 5 * SECOND_MS;
const CLOCK_SECONDS = 30;
/** GitHub's tokens live five minutes. GitLab's live as long as the job, and begin with it. */
const MAX_AGE = { github: '15m', gitlab: '24h' } as const;

const Id = z.string().regex(/^[1-9]\d{0,14}$/);
const Common = z.object({ environment: z.string().optional(), ref: z.string(), sha: z.string() });
const CLAIMS = {
  github: Common.extend({
    repository: z.string(),
    run_id: Id,
    run_attempt: Id,
    actor: z.string(),
    actor_id: Id,
  }).transform(({ run_id: run, run_attempt: attempt, actor_id: account, ...others }) => ({
    ...others,
    run: `${run}:${attempt}`,
    attempt: Number(attempt),
    account,
  })),
  gitlab: Common.extend({ project_path: z.string(), job_id: Id, user_login: z.string(), user_id: Id }).transform(
    ({ project_path: repository, job_id: run, user_login: actor, user_id: account, ...others }) => ({
      ...others,
      repository,
      run,
      attempt: null,
      actor,
      account,
    }),
  ),
} as const;
/** What the forges call the claims, for the program's author. */
const NAMES = {
  github: { repository: 'repository', run: 'run_id', actor: 'actor' },
  gitlab: { repository: 'project_path', run: 'job_id', actor: 'user_login' },
} as const;

/**
 * Creates the check of tokens that GitHub and GitLab give to their jobs. The issuer, its keys and the audience are those of the
 * configuration; a token only chooses among the configured issuers. Signatures are RS256, so no token brings its own way. Throws when
 * the keys cannot be loaded.
 */
export function createTokenCheck(issuers: readonly TokenIssuer[], audience: string | null): VerifyToken {
  if (audience === null) return () => Promise.resolve(null);
  const known = new Map(
    issuers.map((one) => [
      one.issuer,
      {
        forge: one.forge,
        keys: createRemoteJWKSet(new URL(one.keys), {
          timeoutDuration: KEYS_MS,
          [customFetch]: (url, options) => fetch(url, { ...options, redirect: 'error' }),
        }),
      },
    ]),
  );
  return async (token, gate) => {
    const from = known.get(String(tryOr(() => decodeJwt(token).iss, null)));
    if (!from) return say('ingress.token-wrong', { claim: 'iss' });
    const { forge, keys } = from;
    const options = {
      algorithms: ['RS256'],
      issuer: [...known].filter(([, one]) => one === from).map(([issuer]) => issuer),
      audience,
      clockTolerance: CLOCK_SECONDS,
      maxTokenAge: MAX_AGE[forge],
      requiredClaims: ['exp', 'iat', 'sub'],
    };
    try {
      const { payload } = await jwtVerify(token, keys, options);
      const read = readClaims(forge, payload, gate);
      return 'wrong' in read ? say('ingress.token-wrong', { claim: read.wrong }) : read;
    } catch (error) {
      const claim = nameProblem(error);
      if (claim === null) throw error;
      return say('ingress.token-wrong', { claim });
    }
  };
}

/** Names what is wrong with a token; null when its issuer could not be asked. */
function nameProblem(error: unknown): string | null {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) return error.claim;
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) return 'alg';
  const isForged =
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys;
  return isForged ? 'signature' : null;
}

/**
 * Compares the claims with the request. A run of GitHub that is started again keeps the actor of its first attempt in its tokens, so of a
 * later attempt nobody knows who started it. Whoever started it first may not approve it either.
 */
function readClaims(forge: GateForge, payload: unknown, gate: GateRequest): TokenProof | { readonly wrong: string } {
  const parsed = CLAIMS[forge].safeParse(payload);
  if (!parsed.success) return { wrong: String(parsed.error.issues[0]?.path[0]) };
  const { repository, environment, ref, sha, run, attempt, actor, account } = parsed.data;
  const isAgain = attempt !== null && attempt > 1;
  const names = NAMES[forge];
  const checks: readonly (readonly [claim: string, fits: boolean])[] = [
    [names.repository, repository.toLowerCase() === gate.repository.toLowerCase()],
    ['environment', environment === undefined || environment === gate.environment],
    ['ref', fitsRef(ref, gate.ref)],
    ['sha', sha === gate.commit],
    [names.run, run === gate.run],
    [names.actor, isAgain || actor === gate.actor],
  ];
  const wrong = checks.find(([, fits]) => !fits)?.[0];
  if (wrong !== undefined) return { wrong };
  const facts: GateFacts = { ...UNREAD_FACTS, attempt, unread: isAgain ? ['run'] : [] };
  return { forge, accounts: [toForgeAccount(forge, Number(account))], facts };
}

/** True for a ref with or without its beginning: jobs know `main`, and tokens say `refs/heads/main`. */
function fitsRef(claimed: string, ref: string): boolean {
  return claimed === ref || claimed.replace(/^refs\/(?:heads|tags|pull)\//, '') === ref;
}
