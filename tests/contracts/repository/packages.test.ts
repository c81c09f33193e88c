import { describe, expect, it } from 'vitest';
import { MAX_PACKAGES } from '@signalbox/contracts/repository/packages';
import { DEPENDENCIES_ANALYZER } from '@signalbox/analysis/analyzers/dependencies/dependencies';
import { analyze } from '../../support/analyze.ts';

const packagesIn = async (files: Readonly<Record<string, string>>) =>
  (await analyze(DEPENDENCIES_ANALYZER, files)).packages;

describe('the packages of a repository', () => {
  it('are those of every ecosystem, in the spelling of its registry', async () => {
    expect(
      await packagesIn({
        'package.json': JSON.stringify({ name: '@acme/shop', devDependencies: { '@acme/lint': '^1.0.0' } }),
        'api/pyproject.toml': '[project]\nname = "Acme_Api"\ndependencies = ["Acme.Cups>=1"]\n',
        'cli/Cargo.toml':
          '[package]\nname = "acme-cli"\n[dependencies]\ncups = { version = "1", package = "acme-cups" }\n',
        'proxy/go.mod':
          'module example.com/acme/proxy\n\nrequire (\n\texample.com/acme/cups v1.2.3\n\texample.com/far v1.0.0 // indirect\n)\n',
      }),
    ).toEqual({
      offers: ['Go example.com/acme/proxy', 'PyPI acme-api', 'crates.io acme-cli', 'npm @acme/shop'],
      uses: ['Go example.com/acme/cups', 'PyPI acme-cups', 'crates.io acme-cups', 'npm @acme/lint'],
    });
  });

  it('do not include paths, the repository itself, or local aliases', async () => {
    const dependencies = { far: 'file:../far', tea: '*', cups: 'npm:@acme/cups@^1.0.0', milk: 'npm:@acme/milk' };
    expect(
      await packagesIn({
        'package.json': JSON.stringify({ name: 'shop', dependencies }),
        'packages/tea/package.json': JSON.stringify({ name: 'tea', dependencies: { shop: 'workspace:*' } }),
      }),
    ).toEqual({ offers: ['npm shop', 'npm tea'], uses: ['npm @acme/cups', 'npm @acme/milk'] });
  });

  it('have names that registries accept, and are at most as many as the bound', async () => {
    const many = Object.fromEntries(Array.from({ length: MAX_PACKAGES + 10 }, (_, at) => [`p${at}`, '1.0.0']));
    const dependencies = { ...many, 'a b': '1', 'x\u0000y': '1', '**bold**': '1', [`long${'g'.repeat(300)}`]: '1' };
    const packages = await packagesIn({ 'package.json': JSON.stringify({ name: '[shop](http://x)', dependencies }) });
    expect(packages?.offers).toEqual([]);
    expect(packages?.uses).toHaveLength(MAX_PACKAGES);
    expect(packages?.uses.filter((name) => !/^npm p\d+$/.test(name))).toEqual([]);
  });
});

it('a dependency on a package of the same repository may have any version, however the package name is spelled', async () => {
  const { found } = await analyze(DEPENDENCIES_ANALYZER, {
    'tea/pyproject.toml': '[project]\nname = "Acme_Tea"\nversion = "1"\n',
    'pyproject.toml':
      '[tool.poetry]\nname = "shop"\npackage-mode = false\n[tool.poetry.dependencies]\nacme-tea = "*"\n',
  });
  expect(found.map(({ rule }) => rule)).not.toContain('dependencies/any-version');
});
