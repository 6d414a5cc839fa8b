/**
 * Uploads the folder `www` as version 1.4.0 of the app com.example.shop, with the token in `SLUICE_TOKEN`; to be pasted
 * into a shell. Needs curl and zip alone.
 */
export function ciUpload(server: string): string {
  return [
    `export SLUICE_SERVER=${server}`,
    '(cd www && zip -qr ../www.zip .)',
    'curl --fail-with-body -H "Authorization: Bearer $SLUICE_TOKEN" \\',
    '  -F file=@www.zip -F version=1.4.0 -F channel=staging \\',
    '  "$SLUICE_SERVER/api/public/v1/apps/com.example.shop/builds"',
  ].join('\n');
}
