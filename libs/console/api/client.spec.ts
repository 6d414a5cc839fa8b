import { ApiError } from './client';

describe('ApiError', () => {
  it('keeps its code, status, details and delay with other texts', () => {
    const error = new ApiError({
      ...{ status: 422, code: 'VALIDATION_FAILED', message: 'The request is not valid.', retryAfter: 3 },
      ...{ fields: { 'origins.0': ['is not an origin'] }, details: { limit: 5 } },
    });
    const changed = error.withTexts({ fields: { origins: ['Entry 1: is not an origin'] } });
    expect(changed).toMatchObject({ status: 422, code: 'VALIDATION_FAILED', details: { limit: 5 }, retryAfter: 3 });
    expect(changed.message).toBe('The request is not valid.');
    expect(changed.fields).toEqual({ origins: ['Entry 1: is not an origin'] });
    expect(error.fields).toEqual({ 'origins.0': ['is not an origin'] });
  });
});
