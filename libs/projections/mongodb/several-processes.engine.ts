import { severalProcessesContract } from './several-processes.contract';

const server = process.env['TEST_MONGODB_URL'];

jest.setTimeout(180_000);

(server === undefined ? describe.skip : describe)(
  `MongoDB${server === undefined ? ' (no TEST_MONGODB_URL)' : ''}`,
  () => severalProcessesContract('mongodb', () => server!),
);
