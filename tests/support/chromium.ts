import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { ProvidedContext } from 'vitest';
import { loadTestConfig } from './config.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where Chromium is; null when it cannot be had here, and then the browser suite is reported as not run. */
    chromium: string | null;
  }
}

/** Debian's packages and their programs. The shell, which has no windows at all, takes half of the processor; older releases lack it. */
const PROGRAMS = [
  { name: 'chromium-headless-shell', path: '/usr/bin/chromium-headless-shell' },
  { name: 'chromium', path: '/usr/bin/chromium' },
] as const;
const INSTALL_DEADLINE_MS = 8 * 60_000;

/** Finds Chromium, or installs Debian's as root. In CI the suite has to run: without Chromium it fails. */
export default function setup(project: {
  readonly provide: <K extends keyof ProvidedContext>(key: K, value: ProvidedContext[K]) => void;
}): void {
  const { chromium, ci } = loadTestConfig();
  const wanted = chromium ?? (PROGRAMS.find(({ path }) => existsSync(path)) ?? install())?.path;
  const found = wanted !== undefined && existsSync(wanted) ? wanted : null;
  if (found === null) {
    const reason = `no Chromium${chromium ? ` at ${chromium}` : ''}: install it (apt-get install ${PROGRAMS[0].name}) or set CHROMIUM_PATH`;
    if (ci) throw new Error(reason);
    console.warn(`\nNOT RUN: the browser suite. ${reason}\n`);
  }
  project.provide('chromium', found);
}

/** Installs the first that this machine can have; only root can. */
function install(): (typeof PROGRAMS)[number] | undefined {
  if (process.getuid?.() !== 0) return undefined;
  console.log('installing Chromium for the browser suite (once, about a minute) …');
  const apt = (...words: string[]): void =>
    void execFileSync('apt-get', ['-qq', ...words], {
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: INSTALL_DEADLINE_MS,
    });
  return PROGRAMS.find(({ name }) => {
    try {
      apt('update');
      apt('install', '-y', '--no-install-recommends', name, 'fonts-dejavu-core');
      return true;
    } catch {
      return false; // apt has said why, and the other one may do
    }
  });
}
