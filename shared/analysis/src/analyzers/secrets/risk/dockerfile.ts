import type { Problem } from '../../problem.ts';
import { createProblemAt, type LineRule } from './lines.ts';

const DOCKERFILE = /(?:^|\/)(?:Docker|Container)file(?:[.-][\w.-]+)?$|\.dockerfile$/i;
const NOT_ONE = /\.(?:dockerignore|md|json|ya?ml|ts|js|go|py|sh)$/i;
const INSTRUCTION = /^\s*([A-Za-z]{2,12})\s+(\S[^\n]*)/;
const MAX_LINE_LENGTH = 2_000;

type InstructionRule = Omit<LineRule, 'pattern'>;
const UNPINNED: InstructionRule = { rule: 'image-unpinned', severity: 'low' };
const AS_ROOT: InstructionRule = { rule: 'container-root', severity: 'low' };
const ADD_REMOTE: InstructionRule = { rule: 'add-remote', severity: 'low' };
const SECRET: InstructionRule = { rule: 'build-secret', severity: 'medium' };

const SECRET_NAME = /(?:^|_)(?:PASSWORD|PASSWD|SECRET|SECRET_KEY|TOKEN|API_?KEY|PRIVATE_?KEY|ACCESS_KEY)$/i;
/** Base images that drop root by themselves. */
const ROOTLESS_IMAGE = /nonroot|unprivileged|rootless|chainguard|jenkins\/|linuxserver|bitnami|selenium\//i;
/** Programs that start another program without root rights. */
const DROPS_ROOT = /\b(?:gosu|su-exec|setpriv|s6-setuidgid|chpst|runuser|tini-static-su)\b/;

interface Stage {
  readonly name: string;
  readonly image: string;
  readonly line: string;
  readonly number: number;
  user: string | null;
  starts: boolean;
}

/** Finds risks in a Dockerfile; reads only the first line of each instruction. */
export function findDockerfileRisks(path: string, text: string): readonly Problem[] {
  if (!DOCKERFILE.test(path) || NOT_ONE.test(path)) return [];
  const problems: Problem[] = [];
  const stages: Stage[] = [];
  let isContinued = false;
  for (const [index, line] of text.split('\n').entries()) {
    const wasContinued = isContinued;
    if (/^\s*#/.test(line.slice(0, 200))) continue;
    isContinued = /[\\`]\s{0,8}$/.test(line.slice(-20));
    const [, word = '', rest = ''] = wasContinued ? [] : (INSTRUCTION.exec(line.slice(0, MAX_LINE_LENGTH)) ?? []);
    const found = readInstruction(word.toUpperCase(), rest, { stages, line, number: index + 1 });
    if (found) problems.push(createProblemAt(found, line.slice(0, MAX_LINE_LENGTH), index + 1));
  }
  const last = stages.at(-1);
  if (last && runsAsRoot(last, stages) && !DROPS_ROOT.test(text))
    problems.push(createProblemAt(AS_ROOT, last.line, last.number));
  return problems;
}

function readInstruction(
  word: string,
  rest: string,
  { stages, line, number }: { readonly stages: Stage[]; readonly line: string; readonly number: number },
): InstructionRule | null {
  const stage = stages.at(-1);
  switch (word) {
    case 'FROM': {
      const [image = '', , name = ''] = rest
        .trim()
        .replace(/^--platform=\S+\s+/, '')
        .split(/\s+/);
      const isStage = stages.some((one) => one.name !== '' && one.name === image.toLowerCase());
      stages.push({ name: name.toLowerCase(), image, line, number, user: null, starts: false });
      return !isStage && isUnpinned(image) ? UNPINNED : null;
    }
    case 'USER':
      if (stage) stage.user = rest.trim();
      return null;
    case 'CMD':
    case 'ENTRYPOINT':
      if (stage) stage.starts = true;
      return null;
    case 'ADD':
      return /^(?:--(?!checksum)\S+\s+){0,4}https?:\/\//.test(rest) ? ADD_REMOTE : null;
    case 'ENV':
    case 'ARG': {
      const [, name = '', value = ''] = /^([\w.-]{1,80})(?:[= ]\s*["']?([^\s"']{0,200}))?/.exec(rest) ?? [];
      if (!SECRET_NAME.test(name)) return null;
      return word === 'ARG' || value.length > 3 ? SECRET : null;
    }
    default:
      return null;
  }
}

function isUnpinned(image: string): boolean {
  if (image === '' || image.includes('$') || image.includes('@') || image.toLowerCase() === 'scratch') return false;
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest';
}

/** True when the last stage starts a program as root, because neither that stage nor its base stages set a user. */
function runsAsRoot(last: Stage, stages: readonly Stage[]): boolean {
  if (!last.starts) return false;
  const seen = new Set<Stage>();
  let stage: Stage | undefined = last;
  while (stage && !seen.has(stage)) {
    if (stage.user !== null) return /^(?:root|0)(?::|$)/.test(stage.user);
    seen.add(stage);
    const base: Stage = stage;
    if (ROOTLESS_IMAGE.test(base.image) || base.image.includes('$')) return false;
    stage = stages.find((one) => one.name !== '' && one.name === base.image.toLowerCase());
  }
  return true;
}
