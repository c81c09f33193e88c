// Makes the film of the README on the page of a running `npm start` with an empty data folder:
//   node docs/images/film.mjs <address of the web page>
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import sharp from 'sharp';

const SIZE = { width: 470, height: 620 };
/** Every so often a picture is taken. The film runs twice as fast. */
const FRAME_MS = 250;
const SHOWN_MS = FRAME_MS / 2;
/** A picture that does not change is shown so long at most. */
const STILL_MS = 750;
const MAX_BYTES = 3_000_000;

const [address] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox'],
});
const [ben, cleo, dara] = [await open('Ben'), await open('Cleo'), await open('Dara')];
for (const page of [cleo, dara, ben]) await say(page, 'hello', 'Hello. I can do this');
await say(ben, 'register the demo project', 'demo');
await ben.waitForTimeout(3_000);
for (const page of [cleo, dara, ben]) await say(page, '/new', 'conversation');

const frames = [];
let isRolling = true;
const camera = roll();
await say(ben, 'deploy demo 1.0 to staging', '✅ Deployed demo in staging: 1.0');
await say(ben, 'deploy demo 1.2 to staging', '❌ demo in staging: 1.2');
await say(ben, 'why did the deploy fail', 'its last answer was 500');
await say(ben, 'deploy demo 1.1 to staging', '✅ Deployed demo in staging: 1.1');
await say(ben, 'it is slow. roll back demo in staging', '✅ Rolled back demo in staging: 1.0');
await say(ben, 'deploy demo 1.0 to production', 'That needs approval');
await ben.waitForTimeout(1_500);
await cleo.getByRole('button', { name: 'Approve', exact: true }).last().click();
await cleo.waitForTimeout(1_500);
await dara.getByRole('button', { name: 'Approve', exact: true }).last().click();
await ben.getByText('✅ Deployed demo in production').last().waitFor({ timeout: 60_000 });
await ben.waitForTimeout(2_000);
isRolling = false;
await camera;
await browser.close();

const delay = frames.map(({ ms }) => ms);
delay[delay.length - 1] = 2_000;
const pictures = frames.map(({ picture }) => picture);
for (const quality of [70, 50, 30]) {
  const film = await sharp(pictures, { join: { animated: true } })
    .webp({ delay, loop: 0, quality, effort: 4 })
    .toBuffer();
  const seconds = delay.reduce((sum, one) => sum + one, 0) / 1_000;
  console.log(`${pictures.length} pictures, ${seconds} s, ${film.length} bytes at quality ${quality}`);
  if (film.length > MAX_BYTES) continue;
  writeFileSync(fileURLToPath(new URL('film.webp', import.meta.url)), film);
  break;
}

/** Opens the page in a browser of its own, as one of the demo people. */
async function open(name) {
  const context = await browser.newContext({ viewport: SIZE, locale: 'en-GB', colorScheme: 'light' });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(address);
  await page.getByRole('button', { name }).click();
  await page.getByText('Connected').waitFor();
  return page;
}

/** Types a message as a person does, and waits for a part of the answer. */
async function say(page, text, answer) {
  const before = await page.getByText(answer).count();
  await page.getByLabel('Message').pressSequentially(text, { delay: 30 });
  await page.keyboard.press('Enter');
  for (let tries = 0; (await page.getByText(answer).count()) <= before; tries += 1) {
    if (tries > 300) throw new Error(`${answer} does not come`);
    await page.waitForTimeout(200);
  }
  await page.waitForTimeout(1_000);
}

/** Takes pictures of both windows side by side. */
async function roll() {
  let last = '';
  while (isRolling) {
    const begun = Date.now();
    const [left, right] = [await ben.screenshot(), await cleo.screenshot()];
    const now = `${left.toString('base64')}${right.toString('base64')}`;
    if (now === last) {
      const frame = frames.at(-1);
      frame.ms = Math.min(frame.ms + SHOWN_MS, STILL_MS);
    } else {
      const canvas = { create: { width: 2 * SIZE.width + 8, height: SIZE.height, channels: 3, background: '#888' } };
      const parts = [
        { input: left, left: 0, top: 0 },
        { input: right, left: SIZE.width + 8, top: 0 },
      ];
      frames.push({ picture: await sharp(canvas).composite(parts).png().toBuffer(), ms: SHOWN_MS });
      last = now;
    }
    await ben.waitForTimeout(Math.max(0, FRAME_MS - (Date.now() - begun)));
  }
}
