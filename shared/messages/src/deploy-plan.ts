import type { DeployPlan, PlanNote } from '@signalbox/contracts/operations/deploy';
import { formatCode as code } from './format-code.ts';
import { sayList } from './list.ts';
import { say } from './say.ts';

/** A plan whose commands are written as people type them; `start` is null for the image of a Dockerfile. */
export interface TypedPlan {
  readonly build: readonly string[];
  readonly start: string | null;
  readonly notes?: readonly PlanNote[] | undefined;
}

/** Describes how a project is built and started: at its registration, on the card and when it is deployed. */
export function describePlan({ build, start, notes = [] }: TypedPlan): string {
  const how = {
    isImage: start === null,
    hasBuild: build.length > 0,
    build: sayList(build.map(code)),
    start: code(start ?? ''),
  };
  return [...notes.map(describePlanNote), say('repository.plan', how)].join(' ');
}

export function describePlanNote(note: PlanNote): string {
  switch (note.kind) {
    case 'passed': {
      const { of, need, what, server } = note;
      return say('repository.passed', { of: code(of), need, what: need === 'language' ? what : code(what), server });
    }
    case 'given':
      return say('repository.given', { settings: sayList(note.settings.map(code)) });
    case 'release':
      return say('repository.releaseCommand', { command: code(note.command) });
    case 'notRun':
      return say('repository.notRun', { count: note.names.length, names: sayList(note.names.map(code)) });
    case 'submodules':
      return say('repository.submodules', { count: note.paths.length, paths: sayList(note.paths.map(code)) });
    case 'lfs':
      return say('repository.lfs', { patterns: sayList(note.patterns.map(code)) });
  }
}

/** Writes the commands of a plan as people type them. Pure. */
export function toTypedPlan({ build, start, notes }: Pick<DeployPlan, 'build' | 'start' | 'notes'>): TypedPlan {
  return { build: build.map(formatCommand), start: start === null ? null : formatCommand(start), notes };
}

/** Writes a command as a person types it; of a shell line that Signalbox made, without the places that it adds. Pure. */
export function formatCommand(words: readonly string[]): string {
  const [shell, option, line] = words;
  const isLine = shell === '/bin/sh' && option === '-c' && line !== undefined && words.length === 3;
  // Only whole fixed texts are left out: a line of strangers could hide a command before its last one.
  const text = isLine ? OWN.reduce((shown, one) => shown.replace(one, ''), line) : words.join(' ');
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

/** What Signalbox puts before a line of a Procfile: the folders of installed programs, and the mark of a release. */
const OWN = [
  /^PATH="(?:\$PWD\/(?:\.venv\/bin|node_modules\/\.bin|bin):)+\$PATH"; /,
  /^test -e "\$HOME\/\.release-\$SIGNALBOX_RELEASE" \|\| \{ (?=\()/,
  / && : > "\$HOME\/\.release-\$SIGNALBOX_RELEASE"; \} \|\| exit(?=; )/,
  /^exec /,
] as const;
const MAX_SHOWN = 300;
