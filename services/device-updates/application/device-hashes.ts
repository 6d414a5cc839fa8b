import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/**
 * All that is kept of a device's id: 128 bits of an HMAC under the vault's data key `device-id`, in
 * base64url. The app is part of it, so that nobody can follow a device from one app to another.
 */
export class DeviceHashes {
  private readonly key: KeyObject;

  constructor(key: Buffer) {
    this.key = createSecretKey(key);
  }

  of(appId: number, deviceId: string): string {
    // A digest that Node hands over in a buffer of its own takes twice the time.
    const digest = createHmac('sha256', this.key).update(`${appId}:${deviceId}`, 'utf8').digest('binary');
    return Buffer.from(digest, 'binary').toString('base64url', 0, 16);
  }
}
