import { type AttributeTypes, type AttributeValue, hasCharacters, MAX_ATTRIBUTE_LENGTH } from '@sluice/kernel';
import { rememberingVersions } from './remembering-versions';

/** Values are sent by anyone, so they don't drop the versions that checks remember. */
const versionOf = rememberingVersions();

/**
 * What a device sent as an attribute. Undefined: the app declares none of that name, or there is no value, or it is too
 * long, or is no version where it has to be one.
 */
export function attributeValue(
  types: AttributeTypes | undefined,
  name: string,
  text: string | undefined,
): AttributeValue | undefined {
  if (types === undefined || text === undefined || !Object.hasOwn(types, name)) return undefined;
  if (!hasCharacters(text, 1, MAX_ATTRIBUTE_LENGTH)) return undefined;
  return types[name] === 'version' ? versionOf(text) : text;
}
