import type { Problem } from '../../problem.ts';
import { findInLines, type LineRule } from './lines.ts';

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

/** Finds containers with access to their host. Reads line by line, so that templates work too. */
export function findInManifests(path: string, text: string): readonly Problem[] {
  if (!/\.ya?ml$/i.test(path)) return [];
  if (COMPOSE.test(path)) return findInLines(text, COMPOSE_RULES);
  return KUBERNETES.test(text) ? findInLines(text, KUBERNETES_RULES) : [];
}
