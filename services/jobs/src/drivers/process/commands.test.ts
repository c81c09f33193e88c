import { expect, it } from 'vitest';
import { getTrustSettings } from './commands.ts';

it("builds trust the certificates of the machine, which a company's network needs", () => {
  const file = import.meta.filename;
  expect(getTrustSettings(file)).toEqual({ NODE_EXTRA_CA_CERTS: file, PIP_CERT: file });
  expect(getTrustSettings(`${file}.none`)).toEqual({});
});
