import type { ComponentProps } from 'react';
import { TextField } from '../../../parts/form';
import * as texts from '../../../texts/build-dialogs';

type Bound = Pick<ComponentProps<typeof TextField>, 'name' | 'value' | 'change'>;

export const NATIVE_FIELDS = ['min_native_version', 'native_range', 'fingerprint'] as const;

/** Which native apps can run a build. */
export function NativeFields({ field }: { readonly field: (name: (typeof NATIVE_FIELDS)[number]) => Bound }) {
  return (
    <>
      <TextField
        {...field('min_native_version')}
        label={texts.minNative}
        placeholder={texts.minNativeExample}
        help={texts.minNativeHelp}
      />
      <TextField
        {...field('native_range')}
        label={texts.nativeRange}
        placeholder={texts.nativeRangeExample}
        help={texts.nativeRangeHelp}
      />
      <TextField {...field('fingerprint')} label={texts.fingerprint} help={texts.fingerprintHelp} />
    </>
  );
}
