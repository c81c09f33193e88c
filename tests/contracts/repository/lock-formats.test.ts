import { describe, expect, it } from 'vitest';
import { compareVersions } from '@signalbox/analysis/analyzers/dependencies/versions';
import { ADVISORIES_ANALYZER } from '@signalbox/analysis/analyzers/dependencies/advisories/advisories';
import { DEPENDENCIES_ANALYZER } from '@signalbox/analysis/analyzers/dependencies/dependencies';
import { readPackages } from '@signalbox/analysis/analyzers/dependencies/packages/read-packages';
import type { PackageVersion } from '@signalbox/analysis/advisory-source';
import { analyze } from '../../support/analyze.ts';

/** The packages for which a database of vulnerabilities would be asked. */
async function listAsked(texts: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const asked: PackageVersion[] = [];
  const find = (packages: readonly PackageVersion[]) => {
    asked.push(...packages);
    return Promise.resolve({ outcome: 'answered', hits: [] } as const);
  };
  await analyze(ADVISORIES_ANALYZER, texts, { advisories: { describe: () => 'test', find } });
  return asked.map(({ ecosystem, name, version }) => `${ecosystem} ${name} ${version}`);
}

const POM = `<?xml version="1.0"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>acme</groupId><artifactId>all</artifactId><version>1.0</version></parent>
  <artifactId>shop</artifactId>
  <properties><log4j.version>2.14.1</log4j.version></properties>
  <dependencyManagement><dependencies>
    <dependency><groupId>com.google.guava</groupId><artifactId>guava</artifactId><version>30.0-jre</version></dependency>
  </dependencies></dependencyManagement>
  <dependencies>
    <dependency><groupId>org.apache.logging.log4j</groupId><artifactId>log4j-core</artifactId><version>\${log4j.version}</version></dependency>
    <dependency><groupId>com.google.guava</groupId><artifactId>guava</artifactId></dependency>
    <dependency><groupId>\${project.groupId}</groupId><artifactId>own</artifactId><version>\${project.version}</version></dependency>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>[4,)</version><scope>test</scope></dependency>
  </dependencies>
</project>`;

describe('lock files', () => {
  it.each([
    [
      'bun.lock',
      [
        '{',
        '  // one',
        '  "lockfileVersion": 1,',
        '  "packages": {',
        '    "lodash": ["lodash@4.17.4", "", {}, "sha512-a,}//"],',
        '    "legacy-dash": ["lodash@4.17.3", "", {}, "sha512-b"],',
        '    "own": ["own@workspace:packages/own"],',
        '  },',
        '}',
        '',
      ].join('\n'),
      ['npm lodash 4.17.4', 'npm lodash 4.17.3'],
    ],
    [
      'pdm.lock',
      '[metadata]\nlock_version = "4.5"\n[[package]]\nname = "Jinja2"\nversion = "2.11.0"\ngroups = ["default"]\n[[package]]\nname = "own"\nversion = "1.0"\ngit = "https://a.dev/own"\n',
      ['PyPI jinja2 2.11.0'],
    ],
    [
      'composer.lock',
      '{"packages":[{"name":"Guzzlehttp/Guzzle","version":"v6.5.0"},{"name":"a/b","version":"dev-main"}],"packages-dev":[{"name":"phpunit/phpunit","version":"9.5.0"}]}',
      ['Packagist guzzlehttp/guzzle 6.5.0', 'Packagist phpunit/phpunit 9.5.0'],
    ],
    [
      'Gemfile.lock',
      'GIT\n  remote: https://a.dev/own\n  specs:\n    own (1.0)\n\nGEM\n  remote: https://rubygems.org/\n  specs:\n    rack (1.6.0)\n    nokogiri (1.10.0-x86_64-linux)\n      mini_portile2 (~> 2.4)\n\nDEPENDENCIES\n  rack\n',
      ['RubyGems rack 1.6.0', 'RubyGems nokogiri 1.10.0'],
    ],
    [
      'pom.xml',
      POM,
      [
        'Maven org.apache.logging.log4j:log4j-core 2.14.1',
        'Maven com.google.guava:guava 30.0-jre',
        'Maven acme:own 1.0',
      ],
    ],
    [
      'gradle.lockfile',
      '# a comment\norg.apache.logging.log4j:log4j-core:2.14.1=runtimeClasspath\njunit:junit:4.12=testCompileClasspath\nempty=annotationProcessor\n',
      ['Maven org.apache.logging.log4j:log4j-core 2.14.1', 'Maven junit:junit 4.12'],
    ],
    [
      'packages.lock.json',
      '{"version":1,"dependencies":{"net8.0":{"Newtonsoft.Json":{"type":"Direct","resolved":"12.0.1"},"own":{"type":"Project"}}}}',
      ['NuGet Newtonsoft.Json 12.0.1'],
    ],
  ])('%s names the packages for which vulnerabilities are looked up', async (path, text, expected) => {
    expect(await listAsked({ [path]: text })).toEqual(expected);
  });

  it.each([
    [
      'yarn 1',
      'yarn.lock',
      '# yarn lockfile v1\n\n\n"legacy-dash@npm:lodash@4.17.4":\n  version "4.17.4"\n  resolved "https://registry.example/lodash/-/lodash-4.17.4.tgz#78203a4d1c328ae1d86dca6460e369b57f4055ae"\n',
    ],
    [
      'yarn 4',
      'yarn.lock',
      '__metadata:\n  version: 8\n\n"legacy-dash@npm:lodash@4.17.4":\n  version: 4.17.4\n  resolution: "lodash@npm:4.17.4"\n  checksum: 10c0/ab\n  linkType: hard\n',
    ],
    [
      'npm 1',
      'package-lock.json',
      '{"lockfileVersion":1,"dependencies":{"legacy-dash":{"version":"npm:lodash@4.17.4","resolved":"https://registry.npmjs.org/lodash/-/lodash-4.17.4.tgz","integrity":"sha1-a"}}}',
    ],
  ])('an alias in a lock file of %s is looked up under the real name', async (_, path, text) => {
    const texts = {
      'package.json': '{"private":true,"dependencies":{"legacy-dash":"npm:lodash@4.17.4"}}',
      [path]: text,
    };
    expect(await listAsked(texts)).toEqual(['npm lodash 4.17.4']);
    // The manifest and the lock file agree about the alias.
    expect((await analyze(DEPENDENCIES_ANALYZER, texts)).found).toEqual([]);
  });

  it('of unknown package managers are named, and so are manifests without a lock file', async () => {
    const texts = {
      'deno.lock': '{}',
      'app/build.gradle': '',
      'web/Gemfile': '',
      'web/Gemfile.lock': 'GEM\n',
      'conda-lock.yml': '',
      'a/bun.lockb': '',
    };
    const { unread } = await analyze(DEPENDENCIES_ANALYZER, texts);
    expect(unread).toEqual([
      { why: 'unknown-lock', files: 4, paths: ['deno.lock', 'app/build.gradle', 'conda-lock.yml', 'a/bun.lockb'] },
    ]);
  });

  it.each([
    'bun.lock',
    'pdm.lock',
    'composer.lock',
    'Gemfile.lock',
    'pom.xml',
    'gradle.lockfile',
    'packages.lock.json',
  ])('a hostile %s is read within a second', async (path) => {
    const pieces = [
      'a',
      '"',
      '//',
      '/*',
      ',',
      ', ',
      '{"a":',
      '[',
      '<a>',
      '<a b="',
      '&',
      ' (1',
      '    a (1',
      '\\',
      'a:a:',
      '=',
      '\n',
    ];
    for (const piece of [...pieces, '<!DOCTYPE a [<!ENTITY b "bbbb">]><a>&b;</a>']) {
      const before = process.cpuUsage(); // CPU time does not depend on the load of the machine.
      await readPackages(path, piece.repeat(1_000_000 / piece.length));
      const { user, system } = process.cpuUsage(before);
      expect([piece, user + system < 1_500_000]).toEqual([piece, true]);
    }
  });
});

describe('versions', () => {
  it.each([
    ['Maven', ['2.0-alpha1', '2.0-beta9', '2.0-rc1', '2.0', '2.0.1', '2.3.1', '2.10', '2.14.1', '2.15.0']],
    ['Maven', ['29.0-jre', '30.0-android', '30.1-jre', '31']],
    ['RubyGems', ['1.6.0.beta', '1.6.0', '1.6.0.1', '2.0.0.rc1', '2.0.0']],
    ['NuGet', ['1.0.0-preview.2', '1.0.0', '1.0.0.1', '12.0.1', '12.0.10']],
    ['Packagist', ['1.0.0-RC1', '1.0.0', '1.2.0', '6.5.0', '6.5.10']],
  ] as const)('of %s are in order: %j', (ecosystem, ordered) => {
    for (const [at, version] of ordered.entries())
      for (const later of ordered.slice(at + 1))
        expect([version, later, compareVersions(ecosystem, version, later)]).toEqual([version, later, -1]);
  });
});
