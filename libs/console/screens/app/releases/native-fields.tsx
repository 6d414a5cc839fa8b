import type { ComponentProps } from 'react';
import { TextField } from '../../../parts/form';
import * as texts from '../../../texts/build-dialogs';

type Bound = Pick<ComponentProps<typeof TextField>, 'name' | 'value' | 'change'>;

export const NATIVE_FIELDS = ['min_native_version', 'native_range', 'fingerprint'] as const;

type NativeField = (typeof NATIVE_FIELDS)[number];

interface Props {
  readonly field: (name: NativeField) => Bound;
  readonly change: (changes: Partial<Record<NativeField, string>>) => void;
}

/** Which native apps can run a build. It has a minimum or a range: entering one clears the other. */
export function NativeFields({ field, change }: Props) {
  return (
    <>
      <TextField
        {...field('min_native_version')}
        change={(text) => change({ min_native_version: text, ...(text !== '' && { native_range: '' }) })}
        label={texts.minNative}
        placeholder={texts.minNativeExample}
        help={texts.minNativeHelp}
      />
      <TextField
        {...field('native_range')}
        change={(text) => change({ native_range: text, ...(text !== '' && { min_native_version: '' }) })}
        label={texts.nativeRange}
        placeholder={texts.nativeRangeExample}
        help={texts.nativeRangeHelp}
      />
      <TextField {...field('fingerprint')} label={texts.fingerprint} help={texts.fingerprintHelp} />
    </>
  );
}
