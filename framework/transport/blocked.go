package transport

import (
	"bytes"
	"io"
	"net/http"
	"strconv"

	"github.com/compactor-host/compactor/framework/dialect/reply"
)

// codeFailed is the code of the one error that the host makes itself: every
// step failed, or one that must not, and the user chose not to go on then.
const codeFailed = "compaction_failed"

// blocked is the answer to a call that a failed compaction does not let pass.
// It says nothing that a client could take for an overflow, and asks it not to
// try again.
func (c *call) blocked(err error) *http.Response {
	c.warn("the call was not sent: " + err.Error())
	body := reply.Body(c.name, http.StatusBadGateway, codeFailed, "", "the conversation could not be compacted, and the configuration does not let it pass as it is: "+err.Error())
	return &http.Response{
		Status: "502 Bad Gateway", StatusCode: http.StatusBadGateway,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{
			"Content-Type":      {"application/json"},
			"Content-Length":    {strconv.Itoa(len(body))},
			"X-Should-Retry":    {"false"},
			"X-Compactor-Event": {c.id},
		},
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: c.req,
	}
}
