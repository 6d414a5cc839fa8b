import { Fragment } from 'react';
import { Modal } from '../../parts/dialog';
import { show } from '../../parts/keys';
import { APP_PLACES, PLACES, type Place } from '../../parts/places';
import { useSingleKeysOn } from '../../parts/single-keys';
import * as texts from '../../texts/palette';

const withKey = (places: readonly Place[], words: (name: string) => string) =>
  places.flatMap(({ key, name }) => (key === undefined ? [] : [[['g', key], words(name)] as const]));

const KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['?'], texts.keyHelp],
  [['/'], texts.keyFind],
  [['u'], texts.keyUpload],
  ...withKey(PLACES, texts.goTo),
  ...withKey(APP_PLACES, texts.ofApp),
];

/** The list of keys. */
export function Shortcuts() {
  const areOn = useSingleKeysOn();
  return (
    <Modal title={texts.shortcuts} open close={() => show(undefined)}>
      <dl className="shortcuts">
        {[...texts.paletteKeys, ...KEYS].map(([keys, does]) => (
          <div key={does}>
            <dt>
              {keys.map((key, index) => (
                <Fragment key={key}>
                  {index > 0 && texts.then}
                  <kbd>{key}</kbd>
                </Fragment>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p className="dim">{areOn ? texts.shortcutsHelp : texts.areOff}</p>
    </Modal>
  );
}
