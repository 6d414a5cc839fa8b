import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files of PEM, but for `authority`, which is their text. */
export interface Certificates {
  /** That of the authority. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** Whether certificates can be made here. */
export const opensslInstalled = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** An authority of its own, and the certificate that it gave `host`: by default to 127.0.0.1. Files in `folder`. */
export function makeCertificates(folder: string, host = 'IP:127.0.0.1'): Certificates {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...curve, '-days', '2', '-subj', '/CN=authority', '-keyout', 'ca.key', '-out', 'ca.pem');
  openssl('req', ...curve, '-subj', '/CN=server', '-keyout', 'server.key', '-out', 'server.csr');
  writeFileSync(join(folder, 'names'), `subjectAltName=${host}\n`);
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.pem');
  return {
    authority: readFileSync(join(folder, 'ca.pem'), 'utf8'),
    certificate: join(folder, 'server.pem'),
    key: join(folder, 'server.key'),
  };
}
