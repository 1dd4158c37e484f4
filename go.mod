module github.com/sallyport-go/sallyport

go 1.26

require (
	github.com/julienschmidt/httprouter v1.3.0
	github.com/stretchr/testify v1.12.1
	go.yaml.in/yaml/v3 v3.0.5
	pgregory.net/rapid v1.3.0
)
