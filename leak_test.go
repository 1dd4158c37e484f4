package sallyport_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Nothing of a test goes on behind its end.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
