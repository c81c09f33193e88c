import { readArtifact } from '@signalbox/store/artifacts';
import type { Pool } from '@signalbox/store/pool';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { toChatKey } from './chat-key.ts';
import { canReadFile } from './shown/patches.ts';
import type { Login } from './sign-in/logins.ts';

/**
 * Adds `GET /files/<artifact>` for people who were sent the file in a web chat; others get 404. Files are downloads
 * that browsers never render.
 */
export function addFileRoute(
  app: FastifyInstance,
  deps: { readonly pool: Pool; readonly findLogin: (request: FastifyRequest) => Promise<Login | null> },
): void {
  const { pool, findLogin } = deps;
  app.get<{ Params: { readonly artifact: string } }>('/files/:artifact', async (request, reply) => {
    const { artifact } = request.params;
    const login = await findLogin(request);
    if (!login) return reply.code(401).send();
    const isTheirs = /^[\w-]{1,80}$/.test(artifact) && (await canReadFile(pool, toChatKey(login.person), artifact));
    const file = isTheirs ? await readArtifact(pool, artifact) : null;
    if (!file) return reply.code(404).send();
    return reply
      .type('application/octet-stream')
      .header('content-disposition', `attachment; filename*=UTF-8''${toExtValue(file.name)}`)
      .header('content-security-policy', "default-src 'none'; sandbox")
      .send(file.bytes);
  });
}

/** Encodes a name for RFC 8187, which is stricter than encodeURIComponent. */
function toExtValue(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
