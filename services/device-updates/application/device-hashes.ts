import { createHmac } from 'node:crypto';

/**
 * All that is kept of a device's id: 128 bits of an HMAC under the vault's data key `device-id`, in
 * base64url. The app is part of it, so that nobody can follow a device from one app to another.
 */
export class DeviceHashes {
  constructor(private readonly key: Buffer) {}

  of(appId: number, deviceId: string): string {
    const digest = createHmac('sha256', this.key).update(`${appId}:${deviceId}`, 'utf8').digest();
    return digest.subarray(0, 16).toString('base64url');
  }
}
