const SAFE = new Set(['http:', 'https:', 'mailto:']);

/** An address that may stand behind a link; undefined for one that does something else than to lead there. */
export function safeLink(href: string): string | undefined {
  try {
    const url = new URL(href, 'https://relative.invalid/');
    return SAFE.has(url.protocol) && (url.hostname !== 'relative.invalid') ? url.href : undefined;
  } catch {
    return undefined;
  }
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&nbsp;': '\u00a0' };

/** Text in which the common entities stand for their characters; React writes them safely again. */
export function plain(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, entity => ENTITIES[entity] ?? entity);
}
