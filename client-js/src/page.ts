import type { Connection } from './connection.js';
import type { Page } from './environment.js';

/** Tells the connection what the page goes through. Both `visibilitychange` and `pagehide` may come for one hiding; the connection counts it once. */
export function followPage(page: Page, connection: Connection): () => void {
  return page.listen((event, persisted) => {
    switch (event) {
      case 'hidden':
        connection.hide();
        break;
      case 'pagehide':
        connection.hide();
        if (persisted) {
          connection.freeze();
        }
        break;
      case 'online':
        if (page.hidden) {
          connection.hurry();
        } else {
          connection.show();
        }
        break;
      case 'offline':
        connection.doubt();
        break;
      case 'visible':
      case 'pageshow':
        connection.show();
        break;
    }
  });
}
