// `node infra/local/notices.mjs <folder>`: writes what an image of the services contains, as CycloneDX (sbom.cdx.json) and with the licenses'
// texts (NOTICES.md). It needs the installed packages. It fails when a package names no license.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SERVICES = ['gateway', 'worker', 'jobs', 'proxy', 'cli'];
const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)\b/i;
const root = fileURLToPath(new URL('../../', import.meta.url));

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Write: node infra/local/notices.mjs <folder>');
  process.exit(2);
}
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
const places = new Map(Object.entries(lock).map(([path, { version }]) => [`${nameOf(path)}@${version}`, path]));
const bill = readBill();
const packages = bill.components.map(describePackage).filter(({ isOurs }) => !isOurs);
const unknown = packages.filter(({ license }) => license === null).map(({ title }) => title);
if (unknown.length > 0) {
  console.error(
    `These packages name no license: ${unknown.join(', ')}. Nobody may ship them before somebody has looked.`,
  );
  process.exit(1);
}
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
writeFileSync(join(folder, 'NOTICES.md'), describeNotices());
console.log(`${packages.length} packages: ${join(folder, 'sbom.cdx.json')} and ${join(folder, 'NOTICES.md')}`);

/**
 * Reads the packages of the services, which have no others. `--omit=dev` and `--omit=optional` would also leave out packages that a tool of
 * this repository needs besides, with all that they need. So optional packages are named too, although the image has none.
 */
function readBill() {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const workspaces = SERVICES.map((name) => `--workspace=services/${name}`);
  const text = execFileSync('npm', [...args, ...workspaces], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const bill = JSON.parse(text);
  // npm names the root after its folder.
  bill.metadata.component.name = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).name;
  return bill;
}

function describePackage(component) {
  const name = `${component.group ? `${component.group}/` : ''}${component.name}`;
  const path = places.get(`${name}@${component.version}`);
  const named = (component.licenses ?? []).map(({ license, expression }) => expression ?? license.id ?? license.name);
  const license = named.length > 0 ? named.join(', ') : path && readOldLicense(join(root, path));
  return { title: `${name} ${component.version}`, license, folder: join(root, path ?? ''), isOurs: path === undefined };
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** Older packages list their licenses in a field of its own. */
function readOldLicense(path) {
  const { licenses = [] } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  return licenses.map(({ type }) => type).join(', ') || null;
}

function describeNotices() {
  const parts = packages
    .toSorted((a, b) => a.title.localeCompare(b.title, 'en'))
    .map(({ title, license, folder: path }) =>
      [`## ${title}`, '', `License: ${license}`, ...readTexts(path), ''].join('\n'),
    );
  return [
    '# Notices',
    '',
    'Signalbox is under the MIT license. Its services contain these packages of others.',
    '',
    ...parts,
  ].join('\n');
}

function readTexts(path) {
  if (!existsSync(path)) return []; // an optional package of another system
  return readdirSync(path)
    .filter((name) => LICENSE_FILE.test(name))
    .flatMap((name) => ['', '```text', readFileSync(join(path, name), 'utf8').trim().replaceAll('```', "'''"), '```']);
}
