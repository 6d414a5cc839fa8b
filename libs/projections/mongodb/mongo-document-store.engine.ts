import { mongodbContract } from './mongodb.contract';

const server = process.env['TEST_MONGODB_URL'];

// FerretDB looks through all documents where MongoDB uses an index.
jest.setTimeout(180_000);

(server === undefined ? describe.skip : describe)(
  `MongoDB${server === undefined ? ' (no TEST_MONGODB_URL)' : ''}`,
  () => mongodbContract('mongodb', () => server!),
);
