import type { Chunk, Fold, Part, PreviewMessage } from '../fold.js';
import { equal } from './equal.js';
import { approvalChunks, isSettled, partChunks, resultChunks } from './message-chunks.js';

/**
 * What a client is to be told so that what it has becomes the message: chunks; `behind`, if the message is a beginning of what it has; or `different`, if no chunks can make it so.
 */
export type CatchUp = Chunk[] | 'behind' | 'different';

/**
 * @param has what the client has
 * @param isFinal whether the message is finished; otherwise its last parts may still grow
 */
export function catchUp(has: Fold, message: PreviewMessage, isFinal: boolean): CatchUp {
  const parts = has.message().parts;
  const open = has.openParts();
  const step = parts.map(part => part.type).lastIndexOf('step-start');
  const chunks: Chunk[] = [];
  let isBehind = parts.length > message.parts.length;
  for (const [i, part] of message.parts.entries()) {
    const known = parts[i];
    if (known === undefined) {
      if (part.type === 'step-start' && i > 0) {
        chunks.push({ type: 'finish-step' });
      }
      chunks.push(...partChunks(part, `part-${i}`, !isFinal && part['state'] === 'streaming'));
      continue;
    }
    const more = rest(known, part, open.get(i), i > step, isFinal);
    if (more === 'different') {
      return more;
    }
    if (more === 'behind') {
      isBehind = true;
    } else {
      chunks.push(...more);
    }
  }
  if (isBehind) {
    return isFinal ? 'different' : 'behind';
  }
  return chunks;
}

function rest(has: Part, wants: Part, openId: string | undefined, isInStep: boolean, isFinal: boolean): CatchUp {
  if (has.type !== wants.type) {
    return 'different';
  }
  if (has.type === 'text' || has.type === 'reasoning') {
    return restOfText(has, wants, openId, isFinal);
  }
  if (typeof has['toolCallId'] === 'string') {
    return restOfCall(has, wants, isInStep);
  }
  if (has.type.startsWith('data-')) {
    return equal(has, wants) ? [] : has['id'] !== undefined && has['id'] === wants['id'] ? [wants] : 'different';
  }
  return equal(has, wants) ? [] : 'different';
}

function restOfText(has: Part, wants: Part, openId: string | undefined, isFinal: boolean): CatchUp {
  const shown = String(has['text']);
  const text = String(wants['text']);
  const chunks: Chunk[] = [];
  if (text.length < shown.length) {
    return shown.startsWith(text) && wants['state'] === 'streaming' ? 'behind' : 'different';
  }
  if (!text.startsWith(shown)) {
    return 'different';
  }
  if (text.length > shown.length) {
    if (openId === undefined) {
      return 'different';
    }
    chunks.push({ type: `${has.type}-delta`, id: openId, delta: text.slice(shown.length) });
  }
  if (openId !== undefined && (isFinal || wants['state'] !== 'streaming')) {
    chunks.push({ type: `${has.type}-end`, id: openId });
  }
  return chunks;
}

const ORDER = ['input-streaming', 'input-available', 'approval-requested', 'approval-responded', 'output'];

function progress(part: Part): number {
  const state = String(part['state']);
  return ORDER.indexOf(state.startsWith('output') ? 'output' : state);
}

function restOfCall(has: Part, wants: Part, isInStep: boolean): CatchUp {
  if (has['toolCallId'] !== wants['toolCallId']) {
    return 'different';
  }
  if (equal(has, wants)) {
    return [];
  }
  const [before, after] = [progress(has), progress(wants)];
  if (after < before || (isSettled(has) && !isSettled(wants))) {
    return 'behind';
  }
  if (isSettled(has)) {
    return equal(has['output'], wants['output']) && has['state'] === wants['state'] ? [] : 'different';
  }
  if (before === 0) {
    return isInStep ? partChunks(wants, '') : 'different'; // begun once more, it is the same call
  }
  const approval = before < 3 && after >= 2 ? approvalChunks(wants).slice(before < 2 ? 0 : 1) : [];
  return [...approval, ...resultChunks(wants)];
}
