import { z } from 'zod';
import type { Severity } from '@signalbox/contracts/repository/finding';
import { toEvidence, toSafeName } from '../evidence.ts';
import { compareTexts } from '../problem.ts';

/** A problem that another tool reported, as stored in the cache. */
export type ReportedProblem = {
  readonly rule: 'problem' | 'weakness';
  readonly severity: Severity;
  /** Path in the repository; null when the report names none. */
  readonly path: string | null;
  readonly line: number | null;
  readonly evidence: string;
  readonly values: Readonly<Record<string, string>>;
  readonly identity: string;
};

/** Name that `toSarif` writes: a report of our own is not imported, or each finding would be there twice. */
const OWN_TOOL = 'Signalbox';
/** Maximum number of imported results of a file. */
const MAX_RESULTS = 5_000;

const Text = z.object({
  text: z.string().optional(),
  id: z.string().optional(),
  arguments: z.array(z.string()).default([]),
});
const Rule = z.object({
  id: z.string(),
  name: z.string().optional(),
  shortDescription: Text.optional(),
  messageStrings: z.record(z.string(), Text).optional(),
  defaultConfiguration: z.object({ level: z.string().optional() }).optional(),
  properties: z.looseObject({ 'security-severity': z.union([z.string(), z.number()]).optional() }).optional(),
});
const Result = z.object({
  ruleId: z.string().optional(),
  ruleIndex: z.number().int().optional(),
  rule: z.object({ id: z.string().optional(), index: z.number().int().optional() }).optional(),
  kind: z.string().default('fail'),
  level: z.string().optional(),
  baselineState: z.string().optional(),
  message: Text.default({ arguments: [] }),
  locations: z
    .array(
      z.object({
        physicalLocation: z
          .object({
            artifactLocation: z.object({ uri: z.string().optional(), index: z.number().int().optional() }).optional(),
            region: z.object({ startLine: z.number().int().positive().optional() }).optional(),
          })
          .optional(),
      }),
    )
    .default([]),
  fingerprints: z.record(z.string(), z.string()).default({}),
  partialFingerprints: z.record(z.string(), z.string()).default({}),
  suppressions: z.array(z.object({ status: z.string().default('accepted') })).default([]),
  properties: z.looseObject({ 'security-severity': z.union([z.string(), z.number()]).optional() }).optional(),
});
const Driver = z.object({ name: z.string(), rules: z.array(Rule).default([]) });
const Run = z.object({
  tool: z.object({ driver: Driver, extensions: z.array(z.object({ rules: z.array(Rule).default([]) })).default([]) }),
  artifacts: z.array(z.object({ location: z.object({ uri: z.string().optional() }).optional() })).default([]),
  results: z.array(z.unknown()).nullish(),
});
const Sarif = z.object({ version: z.string().startsWith('2.'), runs: z.array(Run) });

/** Reads the open results of a SARIF 2.1.0 log: no suppressed, passed or fixed ones. Null when it is no such log. */
export function readSarif(
  root: unknown,
): { readonly tools: readonly string[]; readonly problems: readonly ReportedProblem[] } | null {
  const log = Sarif.safeParse(root);
  if (!log.success) return null;
  const runs = log.data.runs.filter(({ tool }) => tool.driver.name !== OWN_TOOL);
  const problems = runs.flatMap((run) =>
    (run.results ?? []).flatMap((result) => {
      const read = Result.safeParse(result);
      return read.success && isOpen(read.data) ? toProblem(run, read.data) : [];
    }),
  );
  return { tools: runs.map(({ tool }) => toSafeName(tool.driver.name)), problems: problems.slice(0, MAX_RESULTS) };
}

function isOpen({ kind, baselineState, suppressions }: z.infer<typeof Result>): boolean {
  if (!['fail', 'open', 'review'].includes(kind) || baselineState === 'absent') return false;
  return suppressions.every(({ status }) => status !== 'accepted');
}

function toProblem({ tool, artifacts }: z.infer<typeof Run>, result: z.infer<typeof Result>): ReportedProblem {
  const id = result.ruleId ?? result.rule?.id;
  const index = result.ruleIndex ?? result.rule?.index ?? -1;
  const rules = [tool.driver, ...tool.extensions].flatMap((one) => one.rules);
  const rule = rules.find((one) => one.id === id) ?? tool.driver.rules[index];
  const name = toSafeName(rule?.id ?? id ?? 'result');
  const place = result.locations[0]?.physicalLocation;
  const at = place?.artifactLocation;
  const uri = at?.uri ?? artifacts[at?.index ?? -1]?.location?.uri;
  const message =
    result.message.text ?? rule?.messageStrings?.[result.message.id ?? '']?.text ?? rule?.shortDescription?.text;
  const says = (message ?? '').replaceAll(
    /\{(\d)\}/g,
    (whole, at: string) => result.message.arguments[Number(at)] ?? whole,
  );
  const fingerprints = Object.entries({ ...result.partialFingerprints, ...result.fingerprints }).sort(
    ([one], [other]) => compareTexts(one, other),
  );
  // Without a fingerprint, the message recognizes the result: lines move.
  const identity = fingerprints.length > 0 ? JSON.stringify(fingerprints) : toEvidence(says);
  return {
    rule: 'problem',
    severity: rate(result, rule),
    path: toPath(uri),
    line: place?.region?.startLine ?? null,
    evidence: toEvidence(says),
    values: { tool: toSafeName(tool.driver.name), name },
    identity: `${tool.driver.name}\n${name}\n${identity}`.slice(0, 1_000),
  };
}

const SEVERITY_OF_LEVEL: Readonly<Record<string, Severity>> = {
  error: 'high',
  warning: 'medium',
  note: 'low',
  none: 'info',
};

/** Takes the score of GitHub's `security-severity` if there is one, otherwise the level. */
function rate(result: z.infer<typeof Result>, rule: z.infer<typeof Rule> | undefined): Severity {
  const given = result.properties?.['security-severity'] ?? rule?.properties?.['security-severity'];
  const score = Number(given);
  if (given !== undefined && score >= 0) return toSeverity(score);
  return SEVERITY_OF_LEVEL[result.level ?? rule?.defaultConfiguration?.level ?? 'warning'] ?? 'medium';
}

/** Rates a CVSS score, 0 to 10. */
export function toSeverity(score: number): Severity {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  return score >= 4 ? 'medium' : 'low';
}

/** Returns the path in the repository; null for addresses and paths outside of it. */
function toPath(uri: string | undefined): string | null {
  if (uri === undefined || uri === '') return null;
  const plain = decode(
    uri.replace(
      /^(?:%SRCROOT%|file:\/\/\/(?:github\/workspace|src|code|app)|\/(?:github\/workspace|src|code|app))\//,
      '',
    ),
  );
  const path = plain.replace(/^(?:\.\/)+/, '');
  if (/^(?:[a-z][a-z\d+.-]*:|\/|\\)/i.test(path) || path.split('/').includes('..') || path === '') return null;
  return path.slice(0, 4_000);
}

function decode(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
