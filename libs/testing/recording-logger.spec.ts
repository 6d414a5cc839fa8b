import { recordingLogger } from './recording-logger';

it('keeps each line with its level, message and fields', () => {
  const logger = recordingLogger();
  const error = new Error('no disk');
  logger.warn('The disk is full');
  logger.error({ err: error }, 'The copy failed');
  expect(logger.lines).toEqual([
    { level: 'warn', message: 'The disk is full', fields: {} },
    { level: 'error', message: 'The copy failed', fields: { err: error } },
  ]);
  expect(logger.messages).toEqual(['The disk is full', 'The copy failed']);
});

it('keeps the lines of a child with the fields that the child was given', () => {
  const logger = recordingLogger();
  logger.child({ service: 'keys' }).info({ job: 1 }, 'Done');
  expect(logger.lines).toEqual([{ level: 'info', message: 'Done', fields: { service: 'keys', job: 1 } }]);
});

it('passes each line on as it is logged', () => {
  const passed: string[] = [];
  recordingLogger(({ message }) => passed.push(message)).info('Started');
  expect(passed).toEqual(['Started']);
});
