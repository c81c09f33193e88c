import { Environment } from '@signalbox/contracts/conversation/fields';
import type { GateForge } from '@signalbox/contracts/operations/gate';
import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import type { AlarmPaths } from './alarm.ts';
import { DEFAULT_PATHS } from './kinds/generic.ts';

/** The senders whose messages are understood. */
export const ALARM_KINDS = ['alertmanager', 'grafana', 'github', 'gitlab', 'sentry', 'uptime', 'generic'] as const;
export type AlarmKind = (typeof ALARM_KINDS)[number];

/** A source of alarms. It writes no messages and has no role: its alarms are told to people. */
export interface AlarmSource {
  readonly name: string;
  readonly kind: AlarmKind;
  /** The token, password or signing secret; during a rotation also the previous one. */
  readonly secrets: readonly [string, ...string[]];
  /** People or chats to tell, in order, before those who answer for the service. */
  readonly tells: readonly string[];
  readonly labels: LabelMapping;
  readonly paths: AlarmPaths;
  /** The forge whose deployments wait for people here; null for a source of alarms only. */
  readonly gates: GateForge | null;
}

/** How labels name a project and an environment. Only granted projects can be named. */
export interface LabelMapping {
  readonly projects: readonly string[];
  readonly projectLabels: readonly string[];
  readonly environmentLabels: readonly string[];
  /** Other names of projects and environments. */
  readonly names: Readonly<Record<string, string>>;
  readonly defaultProject: string | null;
  readonly defaultEnvironment: Environment | null;
}

const MAX_LABELS = 20;
const Label = z.string().min(1).max(120);
const Path = z.string().min(1).max(200);
const Name = z.string().trim().min(1).max(80);

/** The fields that only an entry with a `kind` has. */
export const AlarmFields = z.object({
  kind: z.enum(ALARM_KINDS, { error: () => say('ingress.kind-wrong', { kinds: ALARM_KINDS.join(', ') }) }),
  tells: z
    .array(z.string().regex(/^[\w-]{1,120}$|^[a-z]+:[\w@./:-]{1,150}$/, { error: () => say('ingress.tells-wrong') }))
    .max(20)
    .default([]),
  projects: z.array(Name).max(500).default([]),
  projectLabels: z.array(Label).max(MAX_LABELS).default(['project', 'service', 'app', 'job']),
  environmentLabels: z.array(Label).max(MAX_LABELS).default(['environment', 'env', 'namespace']),
  names: z.record(Label, Name).default({}),
  defaultProject: Name.optional(),
  defaultEnvironment: Environment.optional(),
  /** True when deployments of this forge wait for people here. */
  gates: z.boolean().default(false),
  paths: z
    .strictObject({
      title: Path.default(DEFAULT_PATHS.title),
      state: Path.default(DEFAULT_PATHS.state),
      key: Path.default(DEFAULT_PATHS.key),
      text: Path.default(DEFAULT_PATHS.text),
      link: Path.default(DEFAULT_PATHS.link),
    })
    .default(DEFAULT_PATHS),
});

/** The forge of an entry with `gates`; null without it. Other kinds of senders have no deployments that wait. */
export function toGateForge({ kind, gates }: Pick<z.infer<typeof AlarmFields>, 'kind' | 'gates'>): GateForge | null {
  return gates && (kind === 'github' || kind === 'gitlab') ? kind : null;
}

export function toLabelMapping(entry: z.infer<typeof AlarmFields>): LabelMapping {
  const { projects, projectLabels, environmentLabels, names, defaultProject, defaultEnvironment } = entry;
  return {
    projects: defaultProject === undefined ? projects : [...new Set([...projects, defaultProject])],
    projectLabels,
    environmentLabels,
    names,
    defaultProject: defaultProject ?? null,
    defaultEnvironment: defaultEnvironment ?? null,
  };
}

/** Finds what the labels of an alarm name. A project that is not granted to the source is never named. */
export function mapLabels(
  mapping: LabelMapping,
  labels: Readonly<Record<string, string>>,
): { readonly project: string | null; readonly environment: Environment | null } {
  const valuesOf = (keys: readonly string[]): readonly string[] =>
    keys.flatMap((key) => {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      if (value === undefined) return [];
      return [Object.hasOwn(mapping.names, value) ? (mapping.names[value] ?? value) : value];
    });
  const project = valuesOf(mapping.projectLabels).find((value) => mapping.projects.includes(value));
  const environment = valuesOf(mapping.environmentLabels).flatMap(
    (value) => Environment.safeParse(value).data ?? [],
  )[0];
  return {
    project: project ?? mapping.defaultProject,
    environment: environment ?? mapping.defaultEnvironment,
  };
}
