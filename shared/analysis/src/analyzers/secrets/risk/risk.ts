import type { Analyzer } from '../../../analyzer.ts';
import { isDocumentation, isExample, isGenerated, isTest, isVendored } from '../../kinds-of-files.ts';
import { lowerSeverity, numberDuplicates, type Problem } from '../../problem.ts';
import { findDockerfileRisks } from './dockerfile.ts';
import { findPackageRisks, findScriptRisks } from './scripts.ts';
import { findPathRisks, findLeakedFiles } from './tree.ts';
import { findWorkflowRisks } from './workflow.ts';
import { findLineProblems, type LineRule } from './lines.ts';

const COMPOSE = /(?:^|\/)(?:docker-)?compose[\w.-]*\.ya?ml$/i;
const KUBERNETES = /^\s{0,4}kind:\s{0,4}["']?(?:Pod|Deployment|DaemonSet|StatefulSet|ReplicaSet|Job|CronJob)\b/m;

const PRIVILEGED: LineRule = {
  rule: 'privileged',
  severity: 'high',
  pattern: /^[\s-]{0,60}privileged:\s{0,4}["']?true\b/m,
};

const COMPOSE_RULES: readonly LineRule[] = [
  PRIVILEGED,
  { rule: 'host-socket', severity: 'medium', pattern: /\/var\/run\/docker\.sock\s{0,4}(?::|["']?\s{0,4}$)/m },
  { rule: 'host-network', severity: 'low', pattern: /^[\s-]{0,60}network_mode:\s{0,4}["']?host\b/m },
];

const KUBERNETES_RULES: readonly LineRule[] = [
  PRIVILEGED,
  {
    rule: 'host-socket',
    severity: 'high',
    pattern: /^[\s-]{0,60}path:\s{0,4}["']?(?:\/["']?\s{0,4}$|\/var\/run\/docker\.sock)/m,
  },
  { rule: 'host-network', severity: 'medium', pattern: /^[\s-]{0,60}host(?:Network|PID|IPC):\s{0,4}["']?true\b/m },
];

const MAX_PROBLEMS = 40;
const DETECTORS: readonly ((path: string, text: string) => readonly Problem[])[] = [
  findDockerfileRisks,
  findInManifests,
  findWorkflowRisks,
  findScriptRisks,
  findPackageRisks,
  findLeakedFiles,
];

/** Finds risky settings in build, deployment and runtime files, without running anything. */
export const RISK_ANALYZER: Analyzer<readonly Problem[]> = {
  name: 'risk',
  version: 4,
  reach: 'commit',
  wants: ({ path }) => !isVendored(path) && !isGenerated(path) && !isDocumentation(path) && !isTest(path),
  inspect(path, text) {
    if (isVendored(path, text)) return null;
    const problems = DETECTORS.flatMap((detect) => detect(path, text));
    if (problems.length === 0) return null;
    const rated = isExample(path)
      ? problems.map((one) => ({ ...one, severity: lowerSeverity(one.severity) }))
      : problems;
    return numberDuplicates(rated).slice(0, MAX_PROBLEMS);
  },
  conclude(noted, view) {
    const found = [
      ...noted.flatMap(({ path, facts }) => facts.map(({ rule, ...one }) => ({ ...one, path, rule: `risk/${rule}` }))),
      ...findPathRisks(view),
    ];
    return { found, summary: { problems: found.length } };
  },
};

/** Finds containers with access to their host. Reads the manifest line by line, because templates are not valid YAML. */
function findInManifests(path: string, text: string): readonly Problem[] {
  if (!/\.ya?ml$/i.test(path)) return [];
  if (COMPOSE.test(path)) return findLineProblems(text, COMPOSE_RULES);
  return KUBERNETES.test(text) ? findLineProblems(text, KUBERNETES_RULES) : [];
}
