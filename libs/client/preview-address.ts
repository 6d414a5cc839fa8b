export interface PreviewAddress {
  /** The address that opens your app, such as `shop://preview`, without a `#`. */
  readonly open: string;
  /** The server that devices ask, its `PUBLIC_URL`. */
  readonly server: string;
  readonly channel: string;
  /** A key of the channel. */
  readonly apiKey: string;
}

/**
 * The address of a preview, which `readPreview` of `@sluice/device/preview` reads. The values are behind the `#`: a browser does not
 * send them to the server of the address.
 */
export function previewAddress({ open, server, channel, apiKey }: PreviewAddress): string {
  return `${open}#${new URLSearchParams({ sluice_server: server, sluice_channel: channel, sluice_key: apiKey }).toString()}`;
}
