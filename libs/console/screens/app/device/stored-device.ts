import type { App, getDevice, ReplyOf } from '@sluice/contracts';

export type StoredDevice = ReplyOf<typeof getDevice>;

export interface DeviceProps {
  readonly app: App;
  /** Its ID. */
  readonly device: string;
}

export const pathOf = ({ app, device }: DeviceProps): string => `/apps/${app.id}/devices/${encodeURIComponent(device)}`;
