import { connectRaw } from './hostile-client';

export interface Heard {
  readonly status: string;
  /** In small letters; without the time. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the server says to these bytes, in Latin-1, until it ends the connection, for 10 s at most. */
export async function answersTo(address: string, bytes: string): Promise<Heard[]> {
  const client = await connectRaw(address);
  client.socket.write(bytes, 'latin1');
  const patience = setTimeout(() => client.socket.destroy(), 10_000);
  const heard = await client.closed;
  clearTimeout(patience);
  return answersIn(heard, bytes.startsWith('HEAD'));
}

function answersIn(heard: string, bodiless: boolean): Heard[] {
  const answers: Heard[] = [];
  for (let rest = heard; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n') + 4;
    const [status = '', ...lines] = rest.slice(0, end - 4).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    );
    delete headers['date'];
    const length = bodiless ? 0 : Number(headers['content-length'] ?? (status.endsWith('Bad Request') ? Infinity : 0));
    answers.push({ status, headers, body: rest.slice(end, end + length) });
    rest = rest.slice(end + length);
  }
  return answers;
}
