import { credentialFault, credentialHash, credentialPreview, newCredential } from './credentials';

describe('credentials', () => {
  it('has the form of the specification', () => {
    expect(newCredential('svc_pat_')).toMatch(/^svc_pat_[0-9a-f]{64}_[0-9a-f]{8}$/);
    expect(newCredential('svc_app_')).toMatch(/^svc_app_[0-9a-f]{48}_[0-9a-f]{8}$/);
  });

  it('ends in the CRC-32 (IEEE) of all before it', () => {
    // The checksum was computed with another implementation, Python's zlib.crc32.
    const body = `svc_app_${'0'.repeat(48)}`;
    expect(credentialFault('svc_app_', `${body}_ba959d9c`)).toBeUndefined();
    expect(credentialFault('svc_app_', `${body}_ba959d9d`)).toBe('checksum');
  });

  it('distinguishes another family from a truncated or mistyped one', () => {
    const token = newCredential('svc_pat_');
    expect(credentialFault('svc_pat_', token)).toBeUndefined();
    expect(credentialFault('svc_pat_', newCredential('svc_app_'))).toBe('format');
    expect(credentialFault('svc_pat_', token.slice(0, -1))).toBe('checksum');
    expect(credentialFault('svc_pat_', `${token}0`)).toBe('checksum');
    expect(credentialFault('svc_pat_', 'svc_pat_')).toBe('checksum');
    expect(credentialFault('svc_pat_', token.toUpperCase().replace('SVC_PAT_', 'svc_pat_'))).toBe('checksum');
    const flipped = token.slice(0, 20) + (token[20] === '0' ? '1' : '0') + token.slice(21);
    expect(credentialFault('svc_pat_', flipped)).toBe('checksum');
  });

  it('shows four digits at either end', () => {
    expect(credentialPreview('svc_app_', `svc_app_0123${'a'.repeat(40)}4567_00000000`)).toBe('svc_app_0123…4567');
  });

  it('hashes the whole string', () => {
    expect(credentialHash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
