import { DomainError, UnavailableError, ValidationError, type ErrorCode } from '@sluice/kernel';
import { PacketTooLargeError } from '@sluice/messaging';
import { errorReply } from './error-reply';

describe('errorReply', () => {
  it('gives a refusal its status and envelope', () => {
    const error = new DomainError('TOKEN_PERMISSION_DENIED', 'No.', { required_permission: 'apps.delete' });
    expect(errorReply(error)).toMatchObject({
      status: 403,
      body: {
        error: { code: 'TOKEN_PERMISSION_DENIED', message: 'No.', details: { required_permission: 'apps.delete' } },
      },
    });
  });

  it('leaves details out where there are none', () => {
    expect(errorReply(new DomainError('APP_NOT_FOUND', 'No.')).body).toEqual({
      error: { code: 'APP_NOT_FOUND', message: 'No.' },
    });
  });

  it('answers field errors in the validation body', () => {
    expect(errorReply(new ValidationError({ name: ['Required.'] }))).toMatchObject({
      status: 422,
      body: { message: expect.any(String), errors: { name: ['Required.'] } },
    });
  });

  it('says when to come back, in whole seconds', () => {
    expect(errorReply(new UnavailableError('Away.', 1.2))).toMatchObject({
      status: 503,
      headers: { 'Retry-After': '2' },
      body: { error: { code: 'SERVICE_UNAVAILABLE' } },
    });
  });

  it('reports only an id for a fault of the server', () => {
    const answer = errorReply(new Error('password=1'));
    expect(answer).toMatchObject({ status: 500, unexpected: true });
    expect(JSON.stringify(answer)).not.toContain('password');
  });

  it.each([
    ['FST_ERR_BAD_URL', 400, 400, 'INVALID_REQUEST'],
    ['FST_ERR_MAX_PARAM_LENGTH', 414, 404, 'NOT_FOUND'],
    ['FST_ERR_CTP_BODY_TOO_LARGE', 413, 413, 'PAYLOAD_TOO_LARGE'],
    ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 415, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['FST_ERR_ROUTE_MISSING_CONTENT_TYPE', 400, 404, 'NOT_FOUND'],
    ['FST_ERR_ROUTE_MISSING_CONTENT', 400, 404, 'NOT_FOUND'],
    ['ECONNRESET', 400, 400, 'INVALID_REQUEST'],
    ['ERR_STREAM_PREMATURE_CLOSE', 400, 400, 'INVALID_REQUEST'],
    ['ECONNRESET', undefined, 500, 'INTERNAL_ERROR'],
    ['FST_ERR_BAD_STATUS_CODE', 500, 500, 'INTERNAL_ERROR'],
    ['ENOENT', 404, 500, 'INTERNAL_ERROR'],
  ])("answers Fastify's %s", (code, statusCode, status, told) => {
    const thrown = Object.assign(new Error('/secret'), { code, statusCode });
    const answer = errorReply(thrown);
    expect(answer).toMatchObject({ status, body: { error: { code: told } } });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  it('takes a body that is too large for the bus for one that is too large', () => {
    expect(errorReply(new PacketTooLargeError('apps.create', 600_000))).toMatchObject({
      status: 413,
      body: { error: { code: 'PAYLOAD_TOO_LARGE' } },
    });
  });

  it('takes a code that it does not know for a fault of ours', () => {
    expect(errorReply(new DomainError('NOBODY_KNOWS' as ErrorCode, 'x')).status).toBe(500);
  });
});
