import { describe, expect, it } from 'vitest';
import { LICENSES_ANALYZER } from '@signalbox/analysis/analyzers/dependencies/licenses/licenses';
import { STACK_ANALYZER } from '@signalbox/analysis/analyzers/dependencies/stack/stack';
import { json, packageLock } from '../../fixtures/planted/dependencies/lock-texts.ts';
import { analyze } from '../../support/analyze.ts';

const MIT = `MIT License\n\nCopyright (c) 2024 Acme\n\nPermission is hereby granted, free of charge, to any person obtaining a copy\nof this software and associated documentation files (the "Software"), to deal`;
const GPL = 'GNU GENERAL PUBLIC LICENSE\n   Version 3, 29 June 2007\n … GNU Affero General Public License version 3 …';
const lock = packageLock({
  ms: { version: '2.1.3', license: 'MIT' },
  server: { version: '1.0.0', license: 'AGPL-3.0-only' },
  reader: { version: '2.0.0', license: 'GPL-2.0' },
  chosen: { version: '1.0.0', license: '(MIT OR GPL-3.0-or-later)' },
  java: { version: '1.0.0', license: 'GPL-2.0-only WITH Classpath-exception-2.0' },
  weak: { version: '1.0.0', license: 'LGPL-3.0' },
  tool: { version: '1.0.0', license: 'GPL-3.0', dev: true },
  silent: '1.0.0',
});
const told = async (texts: Readonly<Record<string, string>>): Promise<readonly string[]> =>
  (await analyze(LICENSES_ANALYZER, texts)).found
    .map(({ rule, severity, values }) =>
      [severity, rule, values['name'] ?? values['license']].filter(Boolean).join(' '),
    )
    .sort();

describe('licenses', () => {
  it('of dependencies are reported only when they conflict with the license of the project', async () => {
    const found = ['high licences/copyleft server', 'medium licences/copyleft reader'];
    expect(await told({ LICENSE: MIT, 'package-lock.json': lock })).toEqual(found);
    expect(await told({ 'package.json': json({ license: 'UNLICENSED' }), 'package-lock.json': lock })).toEqual(found);
    expect(await told({ COPYING: GPL, 'package-lock.json': lock })).toEqual([]);
  });

  it('that a lock file does not name are counted as unknown, without a finding', async () => {
    const { summary } = await analyze(LICENSES_ANALYZER, { LICENSE: MIT, 'package-lock.json': lock });
    expect(summary).toMatchObject({ own: ['MIT'], unknown: [{ path: 'package-lock.json', packages: 1 }] });
  });

  it('are reported when they are missing, contradict each other or are invalid', async () => {
    expect(await told({ 'index.js': '' })).toEqual(['low licences/none']);
    expect(await told({ 'package.json': json({ private: true }) })).toEqual(['info licences/none']);
    expect(await told({ LICENSE: MIT, 'package.json': json({ license: 'ISC' }) })).toEqual([
      'low licences/mismatch ISC',
    ]);
    expect(await told({ LICENSE: MIT, 'package.json': json({ license: 'The MIT' }) })).toEqual([
      'info licences/invalid-expression The MIT',
    ]);
    expect(await told({ 'composer.json': json({ license: ['MIT', 'Apache-2.0'] }), 'index.php': '' })).toEqual([]);
    expect(await told({ 'liquid.gemspec': "Gem::Specification.new do |s|\n  s.license = 'MIT'\nend\n" })).toEqual([]);
    expect(await told({ 'liquid.gemspec': 's.licenses = ["Ruby", "The MIT"]\n' })).toEqual([
      'info licences/invalid-expression Ruby OR The MIT',
    ]);
    expect(await told({ 'LICENSE-MIT': MIT, 'Cargo.toml': '[package]\nlicense = "MIT/Apache-2.0"\n' })).toEqual([]);
    expect(await told({ COPYING: GPL, 'package.json': json({ license: 'GPL-3.0-or-later' }) })).toEqual([]);
    expect(await told({ LICENSE: MIT, 'package.json': json({ license: `(${'('.repeat(100_000)}` }) })).toHaveLength(1);
  });
});

describe('the technology stack', () => {
  it('is read from files and manifests, without third-party code', async () => {
    const { found, summary } = await analyze(STACK_ANALYZER, {
      'src/main.ts': 'x'.repeat(300),
      'src/page.css': 'x'.repeat(100),
      'node_modules/a/index.js': 'x'.repeat(9_000),
      Dockerfile: 'FROM node',
      '.github/workflows/ci.yml': 'on: push',
      'package.json': json({
        workspaces: ['parts/*'],
        dependencies: { fastify: '1', pg: '1' },
        devDependencies: { vitest: '1', eslint: '1' },
      }),
      'package-lock.json': '{}',
      'api/requirements.txt': 'Django==5.0\n',
      'tool/go.mod': 'module a\nrequire github.com/labstack/echo/v4 v4.1.0\n',
    });
    expect(found).toEqual([]);
    expect(summary).toMatchObject({
      languages: [{ name: 'TypeScript', bytes: 300 }, { name: 'CSS', bytes: 100 }, { name: 'Dockerfile' }],
      frameworks: ['Django', 'Echo', 'Fastify'],
      tests: ['Vitest'],
      linters: ['ESLint'],
      databases: ['PostgreSQL'],
      ci: ['GitHub Actions'],
      containers: ['Docker'],
      entryPoints: ['src/main.ts'],
      packageManagers: ['npm'],
      workspaces: [{ path: 'package.json', members: ['parts/*'] }],
    });
  });
});
