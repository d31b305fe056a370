/** Words that are looked for at once. */
const MAX_WORDS = 16;

/** Where words stand in the text of an element: each of them, first to last, as far as none of them is parted by markup. */
export function placesOf(element: Node, find: string): Range[] {
  const words = find.toLowerCase().split(/\s+/, MAX_WORDS).filter(word => word !== '');
  const places: Range[] = [];
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null && words.length > 0; node = texts.nextNode()) {
    for (const [from, to] of spansOf(node.nodeValue ?? '', words)) {
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, to);
      places.push(range);
    }
  }
  return places;
}

/** Where words, in lower case, stand in a text, whole or as the beginning of a longer one; first to last, without overlaps. */
export function spansOf(text: string, words: readonly string[]): [number, number][] {
  const folded = text.toLowerCase();
  if (folded.length !== text.length) {
    return []; // a few letters are longer in lower case: no place can be told
  }
  const found = words.flatMap(word => beginnings(folded, word).map((at): [number, number] => [at, at + word.length]));
  let behind = 0;
  return found
    .sort(([a, aEnd], [b, bEnd]) => a - b || bEnd - aEnd)
    .filter(([from, to]) => {
      const isApart = from >= behind;
      behind = isApart ? to : behind;
      return isApart;
    });
}

/** Where a word stands that is not the middle of another one; in scripts that do not set words apart, anywhere. */
function beginnings(text: string, word: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    if (!/^[\p{L}\p{N}]{2}$/u.test(text.slice(at - 1, at + 1)) || /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word)) {
      places.push(at);
    }
  }
  return places;
}
