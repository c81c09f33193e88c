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

const DEBIAN_CHROMIUM = '/usr/bin/chromium';
const INSTALL_DEADLINE_MS = 8 * 60_000;

/** Finds Chromium, or installs Debian's as root. In CI the suite has to run: without Chromium it fails. */
export default function setup(project: {
  readonly provide: <K extends keyof ProvidedContext>(key: K, value: ProvidedContext[K]) => void;
}): void {
  const { chromium, ci } = loadTestConfig();
  const wanted = chromium ?? DEBIAN_CHROMIUM;
  if (!existsSync(wanted) && process.getuid?.() === 0) install();
  const found = existsSync(wanted) ? wanted : null;
  if (found === null) {
    const reason = `no Chromium at ${wanted}: install it (apt-get install chromium) or set CHROMIUM_PATH`;
    if (ci) throw new Error(reason);
    console.warn(`\nNOT RUN: the browser suite. ${reason}\n`);
  }
  project.provide('chromium', found);
}

function install(): void {
  console.log('installing chromium for the browser suite (once, about a minute) …');
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'] as ['ignore', 'ignore', 'inherit'],
    timeout: INSTALL_DEADLINE_MS,
  };
  execFileSync('apt-get', ['-qq', 'update'], options);
  execFileSync(
    'apt-get',
    ['-qq', 'install', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'],
    options,
  );
}
