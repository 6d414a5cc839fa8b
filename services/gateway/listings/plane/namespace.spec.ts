import { innerUrl } from './namespace';

describe('the namespace of the listings-ads plane', () => {
  it.each([
    ['/shop/v1/listings-ads/overview?x=1', '/svc/v1/listings-ads/overview?x=1'],
    ['/shop/v1?x', '/svc/v1?x'],
    ['/shop/v1', '/svc/v1'],
    ['/shop/v10/x', '/shop/v10/x'],
    ['/api/public/v1/apps', '/api/public/v1/apps'],
    ['/svc/v1/listings-ads/overview', '/-/svc/v1/listings-ads/overview'],
    ['/svc/v10', '/svc/v10'],
  ])('takes %s for %s', (asked, inner) => {
    expect(innerUrl(asked, 'shop')).toBe(inner);
  });

  it('leaves its own name alone', () => {
    expect(innerUrl('/svc/v1/listings-ads/overview', 'svc')).toBe('/svc/v1/listings-ads/overview');
  });
});
