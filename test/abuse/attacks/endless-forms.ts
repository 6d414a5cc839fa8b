import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Attack } from '../target';

const CHUNK = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 'x'), Buffer.from('\r\n')]);
const MAX_BYTES = 256 * 1024 ** 2;

let token: string;

/** Until the server ends the connection. */
async function pour(socket: Socket): Promise<void> {
  const closed = once(socket, 'close').catch(() => undefined);
  while (!socket.destroyed && socket.writable && socket.bytesWritten < MAX_BYTES) {
    if (!socket.write(CHUNK)) await Promise.race([once(socket, 'drain').catch(() => undefined), closed]);
  }
  socket.destroy();
}

export const endlessForms: Attack = {
  name: 'endless-forms',
  does: 'uploads forms whose part `junk` never ends on 4 connections, and on 4 more continues to send after a 401',
  wants: [401],
  prepare(target) {
    token = target.token();
  },
  async run(target, signal) {
    await target.repeat(
      signal,
      8,
      async (n) => {
        const socket = target.socket();
        const bearer = n % 2 === 0 ? token : 'svc_pat_wrong';
        const part = '--b\r\nContent-Disposition: form-data; name="junk"; filename="junk"\r\n\r\n';
        socket.write(
          `POST /api/public/v1/apps/${target.scene.app}/builds HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bearer}\r\n` +
            `X-Forwarded-For: 10.11.${target.round}.${n % 250}\r\nContent-Type: multipart/form-data; boundary=b\r\n` +
            `Transfer-Encoding: chunked\r\n\r\n${part.length.toString(16)}\r\n${part}\r\n`,
        );
        await pour(socket);
      },
      20,
    );
  },
};
