// Browsers start no worker from a file. There, the search runs in a hidden frame instead. Messages
// arrive as they do from a worker: later, and as copies.
const arrive = (data, give) => {
  const copy = structuredClone(data);
  setTimeout(() => give(new MessageEvent("message", { data: copy })));
};
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => arrive(data, (event) => {
        this.dispatchEvent(event);
        this.onmessage?.(event);
      });
      const script = this.inside.document.createElement("script");
      script.src = new URL(url, location.href).href;
      this.ready = new Promise((done) => { script.onload = done; });
      this.inside.document.body.append(script);
    }
    postMessage(data) {
      this.ready.then(() => arrive(data, (event) => this.inside.dispatchEvent(event)));
    }
    terminate() {
      this.inside.frameElement.remove();
    }
  };
}
