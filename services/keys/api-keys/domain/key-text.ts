import { type Channel, DomainError, unknownEvent, type Decider } from '@sluice/kernel';

/** The key that has the text. */
interface KeyOfText {
  readonly id: number;
  readonly appId: number;
  readonly channel: Channel;
}

export type KeyTextCommand =
  /** `instead`: the id of a key that had the text and is deleted. */
  | { readonly type: 'TakeKeyText'; readonly key: KeyOfText; readonly instead: number | undefined }
  | { readonly type: 'ReleaseKeyText'; readonly id: number };

export type KeyTextEvent =
  | { readonly type: 'KeyTextTaken'; readonly data: KeyOfText }
  | { readonly type: 'KeyTextReleased'; readonly data: { readonly id: number } };

/** `takenAt`: ISO 8601, by the event store. Undefined: the text is free. */
export type KeyText = { readonly key: KeyOfText; readonly takenAt: string } | undefined;

/** Stream `keyText-{hash}`: the key of the installation that has an imported text, of which this is the SHA-256. */
export const keyTextStream = (hash: string) => `keyText-${hash}`;

export const keyText: Decider<KeyText, KeyTextCommand, KeyTextEvent> = {
  initialState: () => undefined,

  decide: (command, taken) => {
    switch (command.type) {
      case 'TakeKeyText': {
        const { key, instead } = command;
        if (taken?.key.id === key.id) return [];
        if (taken !== undefined && taken.key.id !== instead) throw keyTaken();
        return [{ type: 'KeyTextTaken', data: key }];
      }
      case 'ReleaseKeyText':
        return taken?.key.id === command.id ? [{ type: 'KeyTextReleased', data: { id: command.id } }] : [];
    }
  },

  evolve: (_taken, event, _at, recordedAt) => {
    switch (event.type) {
      case 'KeyTextTaken':
        return { key: event.data, takenAt: recordedAt };
      case 'KeyTextReleased':
        return undefined;
      default:
        return unknownEvent(event);
    }
  },
};

export function keyTaken(): DomainError {
  return new DomainError(
    'KEY_TAKEN',
    'Another key of this server has this text already. Delete that key first, or leave the key out to have one made.',
  );
}
